/* SPDX-License-Identifier: MIT */
/* kill.c - kill(), which raise() and abort() need, of native programs. Those of processes have more:
 * user/lib/sigsend.c. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "console.h"

/* Signals that end nobody unless a handler does (POSIX, <signal.h>, default actions). */
static bool is_ignored(int sig) { return sig == SIGCHLD || sig == SIGURG || sig == SIGCONT || sig == SIGWINCH; }

/* A program can send signals to itself only. One that ends it, such as abort()'s, executes an undefined instruction:
 * the kernel prints its address. */
int kill(pid_t pid, int sig)
{
    if (pid != getpid()) {
        errno = ESRCH;
        return -1;
    }
    if (sig == 0 || is_ignored(sig))
        return 0;
    console_flush();
    __builtin_trap();
}
