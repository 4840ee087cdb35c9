/* SPDX-License-Identifier: MIT */
/* process.c - _exit(), getpid() and kill(). */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "lock.h"
#include "thread.h"

_Noreturn void _exit(int status)
{
    console_flush();
    amalgam_exit(status);
}

/* The process's number is its domain's. */
pid_t getpid(void) { return (pid_t)amalgam_info(AMALGAM_INFO_DOMAIN); }

/*
 * A process can send signals to itself only. A signal that ends the process, such as abort()'s, executes an undefined
 * instruction: the kernel stops the process and prints its address, and the system file's `restart: [fault]` applies.
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
