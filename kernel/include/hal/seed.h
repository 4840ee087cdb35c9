/* SPDX-License-Identifier: MIT */
/* hal/seed.h - random bytes that the board's firmware gives the kernel, once a start (CONFIG_SEED). */
#ifndef AMALGAM_HAL_SEED_H
#define AMALGAM_HAL_SEED_H

#include <types.h>

#ifndef SEED
#define SEED 0 /* CONFIG_SEED */
#endif

/* Move the bytes into a key, of CHACHA_KEY words (chacha.h). Returns false if there are none, or they were moved
 * before. */
bool hal_seed(u32 *key);

#endif
