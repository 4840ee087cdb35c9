/* SPDX-License-Identifier: MIT */
/* seed.h - random bytes that who loads the kernel gives it, once a start (CONFIG_SEED): in the device tree, on the
 * command line, in an SCC's record. */
#ifndef AMALGAM_SEED_H
#define AMALGAM_SEED_H

#include <types.h>

#ifndef SEED
#define SEED 0 /* CONFIG_SEED */
#endif

/* Keep the bytes and clear them where they are. NULL, fewer than 16, or zeros only: there is no seed. At boot. */
void seed_take(void *from, u32 size);
/* Make the bytes those of a life of this kernel, whose loader gives each life the same. At boot. */
void seed_add(u32 life);
/* Move the bytes into a key, of CHACHA_KEY words (chacha.h). Returns false if there are none, or they were moved
 * before. */
bool seed_give(u32 *key);

#endif
