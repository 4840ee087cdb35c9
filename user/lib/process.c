/* SPDX-License-Identifier: MIT */
/* process.c - _exit() and getpid(). */
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
