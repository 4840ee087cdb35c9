/* SPDX-License-Identifier: MIT */
/* process.c - the end of a process, and who it is. */
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

/* The domain's number. */
pid_t getpid(void) { return (pid_t)amalgam_info(AMALGAM_INFO_DOMAIN); }

/*
 * There is nobody to send a signal to but the process itself, and nothing that could catch one from outside.  A signal
 * that ends a process, such as abort()'s, is an undefined instruction: the kernel stops the process and says where, and
 * the system file's `restart: [fault]` holds for it.
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
