/* SPDX-License-Identifier: MIT */
/* nanvix/kernel/signal.h - the signals, which are exceptions of the program. */
#ifndef NANVIX_SIGNAL_H_
#define NANVIX_SIGNAL_H_

#include <nanvix/hal.h>

#define SIGOPCODE   EXCEPTION_INVALID_OPCODE
#define SIGPGFAULT  EXCEPTION_PAGE_FAULT
#define SIGPGPROT   EXCEPTION_PAGE_PROTECTION
#define SIGGENPROT  EXCEPTION_GENERAL_PROTECTION
#define SIGNALS_NUM 4

struct ksigaction {
    void (*handler)(void *); /* NULL removes the handler */
};

#endif
