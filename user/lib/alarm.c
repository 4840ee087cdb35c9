/* SPDX-License-Identifier: MIT */
/* alarm.c - alarm(): the kernel's, which is a thread's; the signal is the process's. It ends with the thread. */
#include <amalgam/calls.h>
#include <unistd.h>

#include "clock.h"
#include "signals.h"

unsigned alarm(unsigned seconds)
{
    signal_arrives_at(SIGALRM);
    int64_t left = amalgam_alarm(seconds * NS_PER_S);
    return left > 0 ? (unsigned)(((uint64_t)left + NS_PER_S - 1) / NS_PER_S) : 0;
}
