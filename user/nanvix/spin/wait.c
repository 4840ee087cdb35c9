/* SPDX-License-Identifier: MIT */
/* wait.c - waits by polling; nanvix_wake() has nothing to do. */
#include "../lib/nanvix.h"

void nanvix_wait(const uint32_t *word, uint32_t expected)
{
    for (unsigned turn = 0; __atomic_load_n(word, __ATOMIC_ACQUIRE) == expected; turn++)
        nanvix_relax(turn);
}

void nanvix_wake(const uint32_t *word, uint32_t count) { (void)word, (void)count; }
