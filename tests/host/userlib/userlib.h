/* SPDX-License-Identifier: MIT */
/*
 * userlib.h - the library of processes (user/lib) on the host: its threads are the host's, whose futexes stand for the
 * kernel's wait and wake. What a test wants to look at, or to change, it does in a hook before each call.
 */
#ifndef AMALGAM_HOST_USERLIB_H
#define AMALGAM_HOST_USERLIB_H

#include <stdbool.h>
#include <stdint.h>

#include "amalgam/calls.h"

/* Called before each call, in the thread that makes it. Returns true if *result is the call's result; else the call is
 * carried out. NULL: none. */
typedef bool host_hook(uintptr_t number, const uintptr_t a[4], int64_t *result);
extern host_hook *host_before;
/* The call itself, for hooks. */
int64_t host_carry_out(uintptr_t number, const uintptr_t a[4]);
/* Wait until all threads that the calling thread has created have left their memory. */
void host_await_end(void);
/* Give the calling thread a record: of the first thread, before all else. */
void host_begin(void);

#endif
