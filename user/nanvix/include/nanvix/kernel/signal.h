/* SPDX-License-Identifier: MIT */
/* nanvix/kernel/signal.h - the signals, which are named as the exceptions of the program, and the alarm. */
#ifndef NANVIX_SIGNAL_H_
#define NANVIX_SIGNAL_H_

#include <nanvix/kernel/excp.h>

#define SIGOPCODE   EXCEPTION_INVALID_OPCODE
#define SIGPGFAULT  EXCEPTION_PAGE_FAULT
#define SIGPGPROT   EXCEPTION_PAGE_PROTECTION
#define SIGGENPROT  EXCEPTION_GENERAL_PROTECTION
#define SIGALRM     14 /* of kalarm(); POSIX */
#define SIGNALS_NUM 15

/* There is none between the exceptions and the alarm, as Nanvix refuses the first numbers behind its exceptions. */
#define signal_is_valid(x) (exception_is_valid(x) || (x) == SIGALRM)

struct ksigaction {
    void (*handler)(void *); /* NULL removes it. Its argument: nanvix/sys/signal.h */
};

#endif
