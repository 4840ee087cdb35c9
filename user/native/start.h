/* SPDX-License-Identifier: MIT */
/* start.h - where entry.S goes: each library's own way to main(). */
#ifndef AMALGAM_USER_NATIVE_START_H
#define AMALGAM_USER_NATIVE_START_H

#include <native/calls.h>
#include <stddef.h>

_Static_assert(offsetof(struct native_calls, stack_end) == 72, "entry.S");

/* On the program's stack for this core. Never returns. */
void native_start(const struct native_calls *calls);

#endif
