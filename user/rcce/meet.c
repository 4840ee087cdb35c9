/* SPDX-License-Identifier: MIT */
/*
 * meet.c - the UEs begin a run together. A run may have ended in any way before, on each core in another one: what it
 * has left in buffers and registers is cleared, and nobody stores into a buffer before it was.
 *
 * Each UE has a word that only grows (as a kernel's for shared pages, kernel/svm/meet.c; tests/model/svm_meet.pml). It
 * says an odd number when it begins, and follows whoever says a larger one. When all say the same, nobody is in an
 * older run, and each clears its own buffer, UE 0 the registers, too; then says the next number, and waits until all
 * say that. Who is killed meanwhile, and begins again, says a larger one, and all begin anew.
 */
#include <string.h>

#include "rcce.h"

#define MPB_WORDS (sizeof(struct rcce_mpb) / sizeof(u32))

static u32 life(int ue) { return rcce_look(&rcce.mpb[ue]->life); }

/* Say more than anybody does, because a word may have been overwritten. All are 0 when the board starts, or 1. */
static u32 first(void)
{
    u32 most = life(rcce.ue);
    for (int i = 0; i < rcce.n; i++)
        if (life(i) > 1 && (int)(life(i) - most) > 0)
            most = life(i);
    return (most + 1) | 1;
}

/* Wait until all say `said`, or have come further in the same meeting. Returns false if somebody begins anew: *said is
 * what to say then. */
static bool await_all(u32 *said)
{
    for (int i = 0; i < rcce.n; i++)
        for (unsigned looks = 0; i != rcce.ue; rcce_relax(&looks)) {
            u32 word = life(i);
            if (word == *said || (*said % 2 && word == *said + 1))
                break;
            if ((int)((word | 1) - *said) > 0) {
                *said = word | 1;
                return false;
            }
        }
    return true;
}

static void clear(void)
{
    volatile u32 *word = (volatile u32 *)rcce.own, *end = word + MPB_WORDS + rcce.n_lines * (RCCE_LINE_SIZE / 4);
    for (; word < end; word++)
        if (word != &rcce.own->life)
            *word = 0;
    memset(rcce.put, 0, sizeof(rcce.put)); /* of an earlier run of this program */
    memset(rcce.got, 0, sizeof(rcce.got));
    for (int i = 0; i < rcce.n && rcce.ue == 0; i++) {
        __atomic_store_n(rcce.lock[i], 0, __ATOMIC_RELAXED);
        __atomic_store_n(rcce.registers->tail[rcce.core[i]], 0, __ATOMIC_RELAXED);
    }
    if (rcce.ue == 0)
        rcce_air_clear();
}

void rcce_meet(void)
{
    u32 said = first();
    for (;;) {
        rcce_tell(&rcce.own->life, said);
        if (!await_all(&said))
            continue;
        clear();
        rcce_tell(&rcce.own->life, ++said);
        if (await_all(&said))
            return;
    }
}
