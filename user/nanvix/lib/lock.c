/* SPDX-License-Identifier: MIT */
/*
 * lock.c - the lock of mutexes and condition variables (user/lib/lock.h), and spin locks.
 *
 * A thread that polls for long first yields to other threads of its core, then sleeps for longer and longer times, up
 * to 64 us. This is because an emulator that runs one processor at a time would not run the others while one loops
 * without a call. The same holds for a loop that takes a free lock to read what it protects, reads the clock, or
 * yields; every few hundredth of these sleeps 1 us (nanvix_polled()).
 *
 * A thread that finds a lock taken or a semaphore at 0 polls it somewhat longer than an object of 8 KiB takes to be
 * copied, about 6,200 instructions, and sleeps only then. A sleep and the wake-up that ends it take about 1,250, a
 * third of them under the kernel's lock of the process; and a lock that is dropped for a sleeper is often taken again
 * before it comes. Some of the polls yield: other threads of the core go on, and a core that may be needed elsewhere
 * can be given away.
 */
#include "../../lib/lock.h"
#include "nanvix.h"

#define LOOKS   (NANVIX_RELAX_ASLEEP / 2) /* polls without a call; as many with a yield follow them */
#define LONGEST 16u                       /* the longest sleep is 1 ns << LONGEST */
#define SHORT   10u                       /* the shortest is 1 ns << SHORT */
#define POLLS   256u
#define AWAKE   (6 * LOOKS) /* polls before a sleep in the kernel; the last of each LOOKS yields */

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

bool nanvix_stay_awake(unsigned turn)
{
    if (turn >= AWAKE)
        return false;
    if (turn % LOOKS < LOOKS - 1)
        pause();
    else
        amalgam_yield();
    return true;
}

bool nanvix_lock_try(uint32_t *word) { return lock_try(word); }

/* Poll until the lock is taken as `taken`. Returns false if it is time to sleep. */
static bool take_awake(uint32_t *word, uint32_t taken)
{
    for (unsigned turn = 0; nanvix_stay_awake(turn); turn++)
        if (!__atomic_load_n(word, __ATOMIC_RELAXED) && lock_try_as(word, taken))
            return true;
    return false;
}

static int64_t wait(const uint32_t *word, uint32_t expected, uint64_t deadline)
{
    (void)deadline;
    nanvix_wait(word, expected);
    return 0;
}

void nanvix_lock_take(uint32_t *word)
{
    if (!lock_try(word) && !take_awake(word, 1))
        lock_sleep_by(word, AMALGAM_NEVER, wait, take_awake);
}

void nanvix_lock_drop(uint32_t *word)
{
    if (lock_release(word))
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
