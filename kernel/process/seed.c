/* SPDX-License-Identifier: MIT */
/*
 * seed.c - random bytes for each start of a process, of the bytes that who loaded the kernel gave (seed.h). Each
 * start's are drawn by ChaCha20, whose key changes with it: no process learns another one's bytes, nor those of its
 * earlier lives, from its own.
 */
#include <chacha.h>
#include <core/lock.h>
#include <seed.h>
#include <string.h>

#include "arguments.h"

static struct spinlock lock;
static u32 key[CHACHA_KEY];
static bool begun, has;

bool process_seed(u8 to[PROCESS_SEED])
{
    u32 out[CHACHA_KEY];
    _Static_assert(sizeof(out) == PROCESS_SEED, "half a block");
    unsigned long flags = spin_lock_irqsave(&lock);
    if (!begun) {
        begun = true;
        has = seed_give(key);
    }
    chacha_draw(key, out);
    bool given = has;
    spin_unlock_irqrestore(&lock, flags);
    memcpy(to, out, sizeof(out));
    return given;
}
