/* SPDX-License-Identifier: MIT */
/* amalgam/spawn.h (host) - the calls that the shell of a many-core makes; the test is the kernel. */
#ifndef AMALGAM_TESTS_CLUSTERS_SPAWN_H
#define AMALGAM_TESTS_CLUSTERS_SPAWN_H

#include <stdint.h>

int64_t amalgam_console_interrupts(void);
uint64_t amalgam_clock(void);
int64_t amalgam_sleep_until(uint64_t deadline);

#endif
