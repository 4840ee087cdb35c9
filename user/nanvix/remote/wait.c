/* SPDX-License-Identifier: MIT */
/* wait.c - waits by sleeping in the kernel, whose master adds the waiter and wakes it. Condition variables and fences.
 */
#include "../lib/nanvix.h"

void nanvix_wait(const uint32_t *word, uint32_t expected) { amalgam_wait(word, expected, AMALGAM_NEVER); }

void nanvix_wake(const uint32_t *word, uint32_t count) { amalgam_wake(word, count); }
