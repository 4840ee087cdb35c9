/* SPDX-License-Identifier: MIT */
/*
 * sync.c - a dissemination barrier (as in MetalSVM's comparison, paper [8]), and locks by test-and-set.
 *
 * In round k a member signals the one 2^k after it and waits for the one 2^k before it; after ceil(log2 n) rounds each
 * has heard of all. The words count the barriers of an epoch (meet.c), so they need no reset. There are two sets of
 * words, which barriers take by turns: a member may be one barrier ahead, and must not write over what others still
 * wait for. One set would do for the count, but who waits would read the next barrier's signal, and by the clocks of
 * the critical path (docs/coherence.md) have waited for all that its sender did in between.
 * A word that a wrong kernel has overwritten would be waited for by all, who live; so whoever is asked for a sign of
 * life signals again.
 *
 * Who waits for a lock asks its holder whether it is. A core that lives and does not hold it, because the word that
 * names it was overwritten, gives no sign. A lock is of an epoch: another thread of this core may have left it while
 * one waits, so a lock is taken and given back in one piece with a look at the epoch. The member that makes all locks
 * free for the next epoch waits until this one has left.
 */
#include <errors.h>
#include <hal/cpu.h>
#include <string.h>

#include "state.h"

static u16 barriers; /* of this epoch */
static struct signal {
    u32 *word;
    u32 value;
} sent[2 * SVM_ROUNDS]; /* the last signal of each turn's rounds */
static bool holds[SVM_LOCKS];

void svm_signal_again(void)
{
    svm_say_again();
    for (const struct signal *s = sent; s < sent + ARRAY_SIZE(sent); s++)
        if (s->word)
            WRITE_ONCE(*s->word, s->value);
}

/* The number of an epoch comes again after 2^15 failed meetings. */
void svm_signals_clear(void)
{
    memset(sent, 0, sizeof(sent));
    for (unsigned i = 0; i < 2 * SVM_ROUNDS; i++)
        WRITE_ONCE(svm_shared()->arrived[i / SVM_ROUNDS][i % SVM_ROUNDS][scc_core].word, 0);
}

/* A thread that has to end may leave copies as they are. Where there are none, the next one is made of what memory has
 * then. */
static void end_copies(void (*end)(void))
{
    if (svm_has_copies() && !svm_pages_lock()) {
        end();
        svm_pages_unlock();
    }
}

void svm_release(void)
{
    end_copies(svm_twins_merge);
    svm_drain();
}

/* In this order: another thread of the process may make a copy as soon as the old ones are forgotten, and L1 must not
 * have lines of before then. */
void svm_acquire(void)
{
    svm_invalidate();
    end_copies(svm_twins_forget);
}

/* A word says which barrier of which epoch. */
static u32 signal_now(void) { return (u32)svm_epoch() << 16 | barriers; }
static bool has_come(u32 word, u32 value) { return word >> 16 == value >> 16 && (s16)(word - value) >= 0; }

/* Wait until a word that `core` writes has come to `value`. A core that has gone may have written it before: one more
 * look. */
static int await(const u32 *word, u32 value, unsigned core)
{
    struct svm_wait w;
    int err = 0;
    svm_wait_begin(&w, core, true);
    while (!has_come(READ_ONCE(*word), value)) {
        if (err)
            return err;
        err = svm_wait_more(&w);
    }
    return 0;
}

static int pass(void)
{
    unsigned n = svm_members(), rank = svm_rank();
    int err = 0;
    unsigned turn = ++barriers % 2;
    struct svm_word(*arrived)[SCC_CORES] = svm_shared()->arrived[turn];
    struct signal *s = &sent[turn * SVM_ROUNDS];
    svm_release();
    for (unsigned step = 1; step < n && !err; s++, arrived++, step *= 2) {
        s->word = &(*arrived)[svm_member((rank + step) % n)].word;
        WRITE_ONCE(*s->word, s->value = signal_now());
        err = await(&(*arrived)[scc_core].word, signal_now(), svm_member((rank + n - step) % n));
    }
    if (err)
        svm_leave();
    svm_acquire();
    return err;
}

int svm_pass(void)
{
    barriers = 0;
    return pass();
}

int svm_barrier(void)
{
    int err = svm_meet();
    return err ? err : pass();
}

static struct svm_lock *lock_of(unsigned n) { return &svm_shared()->lock[svm_member(0)][n]; }

void svm_locks_lost(void)
{
    for (unsigned n = 0; n < SVM_LOCKS; n++)
        WRITE_ONCE(holds[n], false);
}

void svm_locks_clear(void)
{
    for (unsigned n = 0; n < SVM_LOCKS; n++) {
        WRITE_ONCE(lock_of(n)->holder, 0);
        __atomic_store_n(&lock_of(n)->taken, 0, __ATOMIC_RELEASE);
    }
}

bool svm_lock_beat(u32 n)
{
    if (n >= SVM_LOCKS)
        return false;
    u32 *beat = &lock_of(n)->beat;
    if (holds[n])
        WRITE_ONCE(*beat, READ_ONCE(*beat) + 1);
    return true;
}

/* Wait for the holder of lock `n`, which may change, also to another thread of this run; if it is not known, for the
 * word alone. */
static int await_holder(struct svm_wait *w, unsigned n, const struct svm_lock *l, u32 *holder)
{
    u32 now = READ_ONCE(l->holder);
    if (holds[n])
        return -EBUSY;
    if (now > SCC_CORES)
        return -EINVAL;
    if (now != *holder) {
        *holder = now;
        if (now)
            svm_wait_holder(w, now - 1, n, &l->beat);
        else
            svm_wait_begin(w, scc_core, false);
    }
    return svm_wait_more(w);
}

/* Take a free lock in this epoch. Returns false: it is not free, or this core has left. */
static bool take(unsigned n, struct svm_lock *l, u16 epoch)
{
    unsigned long flags = irq_save();
    bool taken = svm_epoch() == epoch && !READ_ONCE(l->taken) && !__atomic_exchange_n(&l->taken, 1, __ATOMIC_ACQUIRE);
    if (taken) {
        WRITE_ONCE(holds[n], true);
        WRITE_ONCE(l->holder, scc_core + 1);
    }
    irq_restore(flags);
    return taken;
}

/* Give a lock back, unless this core has left the epoch in which it was taken. Returns whether it held it. */
static bool give(unsigned n, struct svm_lock *l)
{
    unsigned long flags = irq_save();
    bool held = holds[n] && svm_has_met();
    if (held) {
        WRITE_ONCE(holds[n], false);
        WRITE_ONCE(l->holder, 0);
        __atomic_store_n(&l->taken, 0, __ATOMIC_RELEASE);
    }
    irq_restore(flags);
    return held;
}

int svm_lock(unsigned n)
{
    struct svm_wait w;
    if (n >= SVM_LOCKS)
        return -EINVAL;
    if (!svm_has_met())
        return -EPIPE;
    struct svm_lock *l = lock_of(n);
    u32 holder = ~0u;
    u16 epoch = svm_epoch();
    while (!take(n, l, epoch)) {
        int err = svm_epoch() == epoch ? await_holder(&w, n, l, &holder) : -EPIPE;
        if (err)
            return err;
    }
    svm_acquire();
    return 0;
}

int svm_unlock(unsigned n)
{
    if (n >= SVM_LOCKS)
        return -EINVAL;
    if (!holds[n])
        return -EPERM;
    svm_release();
    return give(n, lock_of(n)) ? 0 : -EPERM;
}
