/* SPDX-License-Identifier: MIT */
/* amalgam/calls.h (host) - the calls of a process as a function of the host: calls.c. */
#ifndef AMALGAM_CALLS_H
#define AMALGAM_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "../../../../user/include/amalgam/call_table.h"

#define AMALGAM_NEVER (~0ull)

int64_t host_call(uintptr_t number, const uintptr_t arguments[4]);

static inline int64_t amalgam_call(uintptr_t number, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d)
{
    return host_call(number, (const uintptr_t[]){ a, b, c, d });
}

#endif
