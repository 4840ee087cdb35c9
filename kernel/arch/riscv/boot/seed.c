/* SPDX-License-Identifier: MIT */
/* seed.c - /chosen/rng-seed of the device tree (Devicetree Specification, Linux' bindings chosen.txt). */
#include <arch/boot.h>
#include <chacha.h>
#include <hal/seed.h>
#include <string.h>

static u8 seed[CHACHA_KEY * sizeof(u32)];
static bool given;

/* More bytes than a key has are added to the others; with fewer than 16 there is no seed. */
__init_text void seed_take(const u8 *value, u32 size)
{
    u8 *at = (u8 *)value;
    if (!value || size < 16)
        return;
    for (u32 i = 0; i < size; i++) {
        seed[i % sizeof(seed)] ^= at[i];
        at[i] = 0; /* nobody finds them in the tree */
    }
    given = true;
}

bool hal_seed(u32 *key)
{
    bool had = given;
    memcpy(key, seed, sizeof(seed));
    memset(seed, 0, sizeof(seed));
    given = false;
    return had;
}
