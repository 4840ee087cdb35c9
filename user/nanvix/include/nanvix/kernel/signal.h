/* SPDX-License-Identifier: MIT */
/* nanvix/kernel/signal.h - the signals, which are named as the exceptions of the program, and the alarm. */
#ifndef NANVIX_SIGNAL_H_
#define NANVIX_SIGNAL_H_

#include <nanvix/hal.h>

#define SIGOPCODE   EXCEPTION_INVALID_OPCODE
#define SIGPGFAULT  EXCEPTION_PAGE_FAULT
#define SIGPGPROT   EXCEPTION_PAGE_PROTECTION
#define SIGGENPROT  EXCEPTION_GENERAL_PROTECTION
#define SIGALRM     4 /* of kalarm() */
#define SIGNALS_NUM 5

struct ksigaction {
    void (*handler)(void *); /* NULL removes it. Its argument: nanvix/sys/signal.h */
};

#endif
