/* SPDX-License-Identifier: MIT */
/* amalgam/calls.h (host) - the call of a server that draws numbers; the test is the kernel. */
#ifndef AMALGAM_TESTS_AHEAD_CALLS_H
#define AMALGAM_TESTS_AHEAD_CALLS_H

#include <stdint.h>

uint64_t amalgam_clock(void);

#endif
