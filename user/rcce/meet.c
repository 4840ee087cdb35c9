/* SPDX-License-Identifier: MIT */
/*
 * meet.c - the UEs begin a run together. A run may have ended in any way before, on each core in another one: what it
 * has left in buffers and registers is cleared, and nobody stores into a buffer before it was.
 *
 * Each UE has a word that only grows (as a kernel's for shared pages, kernel/svm/meet.c; tests/model/svm_meet.pml). It
 * says an odd number when it begins, and follows whoever says a larger one. When all say the same, nobody is in an
 * older run, and each clears its own buffer, UE 0 the registers, too; then says the next number, and waits until all
 * say that. Who is killed meanwhile, and begins again, says a larger one, and all begin anew.
 *
 * Beside its word each UE says the number of its kernel (native/calls.h), which the others keep: a kernel whose number
 * is another one later is a loss. What a UE says after a reset comes in the order 0, word, number, and a number counts
 * that was read between two looks at the same word: so it is of the kernel on which the UE said that.
 *
 * From then on a UE whose word is another one has left the run (process/left.h), unless it has come through the last
 * barrier: it says that at the end (`ended`), and clears it when all are in the next meeting.
 *
 * All come, or nobody begins. A core that does not boot ends the program; one that is late is named and waited for.
 */
#include <stdio.h>
#include <string.h>

#include "rcce.h"

#define LATE_S    30
#define MPB_WORDS (sizeof(struct rcce_mpb) / sizeof(u32))

static u32 met[RCCE_MAXNP]; /* the number of each UE's kernel, as heard last */

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

static void say(u32 word)
{
    rcce_tell(&rcce.own->life, word);
    rcce_tell(&rcce.own->kernel, rcce.calls->kernels[rcce.calls->core]);
}

/* Hear a UE's number with this word. Returns false: it does not say both any more, or not yet. */
static bool hear(int ue, u32 word)
{
    met[ue] = rcce_look(&rcce.mpb[ue]->kernel);
    return met[ue] && life(ue) == word;
}

/* Returns whether a UE that says `word` says `said`, or has come further in the same meeting. */
static bool has_come(int ue, u32 word, u32 said)
{
    return said % 2 ? (word == said || word == said + 1) && hear(ue, word) : word == said;
}

/* Wait until all have come. Returns false if somebody begins anew: *said is what to say then. */
static bool await_all(u32 *said)
{
    for (int i = 0; i < rcce.n; i++) {
        struct rcce_wait w = { 0 };
        double begin = RCCE_wtime();
        bool told = false;
        for (u32 word; !has_come(i, word = life(i), *said);) {
            if ((int)((word | 1) - *said) > 0) {
                *said = word | 1;
                return false;
            }
            if (rcce_relax(&w) && !told && RCCE_wtime() > begin + LATE_S) {
                printf("rcce: waits for core %d, which has not begun for %d s\n", rcce.core[i], LATE_S);
                fflush(stdout);
                told = true;
            }
        }
    }
    return true;
}

static void clear(void)
{
    volatile u32 *word = (volatile u32 *)rcce.own, *end = word + MPB_WORDS + rcce.n_lines * (RCCE_LINE_SIZE / 4);
    for (; word < end; word++)
        if (word != &rcce.own->life && word != &rcce.own->kernel)
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
    u32 said = first(), *kernel = rcce.calls->met;
    for (int i = 0; i < rcce.n; i++)
        if (!rcce.calls->up((u32)rcce.core[i])) {
            printf("rcce: core %d does not boot: the program ends\n", rcce.core[i]);
            rcce_end();
        }
    memset(kernel, 0, rcce.calls->cores * sizeof(*kernel)); /* who ends before they have met is waited for */
    rcce_tell(&rcce.own->kernel, 0);
    for (;;) {
        say(said);
        if (!await_all(&said))
            continue;
        clear();
        say(++said);
        if (await_all(&said))
            break;
    }
    for (int i = 0; i < rcce.n; i++)
        kernel[rcce.core[i]] = met[i];
}
