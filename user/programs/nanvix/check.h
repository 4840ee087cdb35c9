/* SPDX-License-Identifier: MIT */
/* check.h - what the programs that check libnanvix share: the first error is printed and ends the process with
 * status 1.
 */
#ifndef NANVIX_CHECK_H
#define NANVIX_CHECK_H

#include <nanvix/sys/thread.h>
#include <nanvix/ulib.h>

#define MUST(what)                                                                                                     \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            uprintf("WRONG: %s:%d: %s", __FILE__, __LINE__, #what);                                                    \
            _kexit(1);                                                                                                 \
        }                                                                                                              \
    } while (0)
#define FAILS(call, error) MUST((call) == -1 && errno == (error))

void ___start(int argc, const char *argv[], char **envp);

#endif
