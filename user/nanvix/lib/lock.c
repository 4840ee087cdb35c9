/* SPDX-License-Identifier: MIT */
/*
 * lock.c - the lock of mutexes and condition variables, and spin locks.
 *
 * A thread that polls for long first yields to other threads of its core, then sleeps for longer and longer times, up
 * to 64 us. This is because an emulator that runs one processor at a time would not run the others while one loops
 * without a call. The same holds for a loop that takes a free lock to read what it protects, reads the clock, or
 * yields; every few hundredth of these sleeps 1 us (nanvix_polled()).
 */
#include "nanvix.h"

#define LOOKS   (NANVIX_RELAX_ASLEEP / 2) /* polls without a call; as many with a yield follow them */
#define LONGEST 16u                       /* the longest sleep is 1 ns << LONGEST */
#define SHORT   10u                       /* the shortest is 1 ns << SHORT */
#define POLLS   256u

static inline void pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __asm__ volatile("pause");
#else
    __asm__ volatile(".insn 0x0100000f"); /* PAUSE, an encoding of FENCE that older assemblers do not know by name */
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
