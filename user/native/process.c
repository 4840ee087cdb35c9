/* SPDX-License-Identifier: MIT */
/* process.c - getpid() and kill() for native programs, of RCCE and of OpenMP alike: raise() and abort() need them. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "console.h"

/* A native program is the only one of its kernel. */
pid_t getpid(void) { return 1; }

/*
 * A program can send signals to itself only. A signal that ends it, such as abort()'s, executes an undefined
 * instruction: the kernel stops the domain and prints its address, and the system file's `restart: [fault]` applies.
 */
int kill(pid_t pid, int sig)
{
    if (pid != getpid()) {
        errno = ESRCH;
        return -1;
    }
    if (sig == 0)
        return 0;
    console_flush();
    __builtin_trap();
}
