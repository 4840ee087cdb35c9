/* SPDX-License-Identifier: MIT */
/* seed.c - the random bytes that who loads the kernel gives it, until the first process starts (process/seed.c). */
#include <chacha.h>
#include <seed.h>
#include <string.h>

#define LEAST 16u /* bytes that count as a seed */

static u8 seed[CHACHA_KEY * sizeof(u32)];
static bool given;

__init_text void seed_take(void *from, u32 size)
{
    u8 *at = from, any = 0;
    if (!from || size < LEAST)
        return;
    for (u32 i = 0; i < size; i++) {
        any |= at[i];
        seed[i % sizeof(seed)] ^= at[i]; /* bytes beyond a key's are added to the others */
        at[i] = 0;
    }
    given |= any != 0;
}

__init_text void seed_add(u32 life) { seed[0] ^= (u8)life, seed[1] ^= (u8)(life >> 8), seed[2] ^= (u8)(life >> 16); }

bool seed_give(u32 *key)
{
    bool had = given;
    memcpy(key, seed, sizeof(seed));
    memset(seed, 0, sizeof(seed));
    given = false;
    return had;
}
