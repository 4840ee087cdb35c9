/* SPDX-License-Identifier: MIT */
/*
 * lock.c - the lock beneath mutexes and condition variables, and spin locks.
 *
 * Who polls gives way after a while: first by letting other threads of this core run, then by sleeping for longer and
 * longer, up to 64 us.  On an emulator that runs one processor at a time a loop that never calls would keep the others
 * from running. So would one that takes a free lock again and again to look at what it protects, looks at the clock, or
 * only yields: one of some hundred times costs a sleep of 1 us (nanvix_polled()).
 */
#include "nanvix.h"

#define LOOKS   (NANVIX_RELAX_ASLEEP / 2) /* that cost nothing but time; as many yields are behind them */
#define LONGEST 16u                       /* the longest sleep is 1 ns shifted by that, */
#define SHORT   10u                       /* the shortest by this */
#define POLLS   256u

static inline void pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __asm__ volatile("pause");
#else
    __asm__ volatile(".insn 0x0100000f"); /* PAUSE, a FENCE that older assemblers do not know */
#endif
}

void nanvix_relax(unsigned turn)
{
    if (turn < LOOKS) {
        pause();
    } else if (turn < NANVIX_RELAX_ASLEEP) {
        amalgam_yield();
    } else {
        unsigned shift = turn - NANVIX_RELAX_ASLEEP + SHORT;
        amalgam_sleep_until(amalgam_clock() + (1ull << (shift < LONGEST ? shift : LONGEST)));
    }
}

void nanvix_polled(unsigned *polls)
{
    if (++*polls % POLLS == 0)
        nanvix_relax(NANVIX_RELAX_ASLEEP);
}

bool nanvix_lock_try(uint32_t *word)
{
    uint32_t free = 0;
    return __atomic_compare_exchange_n(word, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void nanvix_lock_take(uint32_t *word)
{
    if (nanvix_lock_try(word))
        return;
    while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE))
        nanvix_wait(word, 2);
}

void nanvix_lock_drop(uint32_t *word)
{
    if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) == 2)
        nanvix_wake(word, 1);
}

void spinlock_init(spinlock_t *lock) { __atomic_store_n(lock, SPINLOCK_UNLOCKED, __ATOMIC_RELEASE); }

int spinlock_trylock(spinlock_t *lock) { return !nanvix_lock_try(lock); }

void spinlock_lock(spinlock_t *lock)
{
    static _Thread_local unsigned polls;
    nanvix_polled(&polls);
    for (unsigned turn = 0; spinlock_trylock(lock); turn++)
        nanvix_relax(turn);
}

void spinlock_unlock(spinlock_t *lock) { __atomic_store_n(lock, SPINLOCK_UNLOCKED, __ATOMIC_RELEASE); }
