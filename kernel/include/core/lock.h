/* SPDX-License-Identifier: MIT */
/*
 * core/lock.h - ticket spin locks: first come, first served, so that no core starves.
 *
 * A lock is only taken with interrupts off, and code with interrupts on is always preemptible: there is no counter of
 * preemption. A core that waits for a ticket with interrupts off is late by the time of all who hold the lock before
 * it. So a lock that is held for long (a virtual device's, the console's) is tried instead (docs/isolation.md). Which
 * lock may be taken inside which is said in docs/locks.md, and checked in unit tests.
 *
 * A kernel that is built for one core (CONFIG_ONE_CORE) has no other core to wait for: its locks are interrupts off.
 */
#ifndef AMALGAM_CORE_LOCK_H
#define AMALGAM_CORE_LOCK_H

#include <hal/cpu.h>

/* 32-bit words, because RISC-V has no atomic operations on less. */
struct spinlock {
    u32 next;  /* the next ticket to draw */
    u32 owner; /* the ticket that holds the lock */
};

#define SPINLOCK_INIT                                                                                                  \
    {                                                                                                                  \
        0, 0                                                                                                           \
    }

static inline void spin_lock_draw(struct spinlock *l)
{
    u32 ticket = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED);
    while (unlikely(__atomic_load_n(&l->owner, __ATOMIC_ACQUIRE) != ticket))
        cpu_relax();
}

static __noinline void spin_lock_drawn(struct spinlock *l) { spin_lock_draw(l); }

static inline void spin_lock(struct spinlock *l)
{
    if (MAX_CPUS > 1)
        spin_lock_drawn(l);
    else
        barrier();
}

/* In line, for the shortest paths. */
static inline void spin_lock_here(struct spinlock *l)
{
    if (MAX_CPUS > 1)
        spin_lock_draw(l);
    else
        barrier();
}

/* Take the lock if nobody holds or awaits it. Returns whether it was taken. Interrupts must be off. */
static inline bool spin_try(struct spinlock *l)
{
    if (MAX_CPUS == 1)
        return true;
    u32 ticket = __atomic_load_n(&l->owner, __ATOMIC_ACQUIRE);
    return __atomic_compare_exchange_n(&l->next, &ticket, ticket + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/*
 * Take a lock that others may hold for long, from a context with interrupts on. A ticket cannot be given back, so the
 * lock is tried, and interrupts are on between tries: who waits delays nobody on its core. Who draws a ticket comes
 * first. Interrupts are off on return.
 */
static inline void spin_lock_by_tries(struct spinlock *l)
{
    irq_disable();
    while (unlikely(!spin_try(l))) {
        irq_enable();
        cpu_relax();
        irq_disable();
    }
}

static inline void spin_unlock(struct spinlock *l)
{
    if (MAX_CPUS == 1) {
        barrier();
        return;
    }
    __atomic_thread_fence(__ATOMIC_RELEASE);
    l->owner++; /* only the holder writes it */
}

/* Returns whether a core has the lock or waits for it. */
static inline bool spin_is_taken(const struct spinlock *l)
{
    return MAX_CPUS > 1 && READ_ONCE(l->owner) != READ_ONCE(l->next);
}

static inline unsigned long spin_lock_irqsave(struct spinlock *l)
{
    unsigned long flags = irq_save();
    spin_lock(l);
    return flags;
}

static inline void spin_unlock_irqrestore(struct spinlock *l, unsigned long flags)
{
    spin_unlock(l);
    irq_restore(flags);
}

/*
 * Read a u64 that is written only with `l` held, from a core that does not hold `l`, without reading half of an old and
 * half of a new value. It is one load if a register has 64 bits, two if there is no other core, else a load under the
 * lock. Interrupts are off.
 */
static inline u64 u64_peek_here(const u64 *at, struct spinlock *l)
{
    if (sizeof(long) >= sizeof(u64) || MAX_CPUS == 1)
        return READ_ONCE(*at);
    spin_lock(l);
    u64 value = *at;
    spin_unlock(l);
    return value;
}

/* The same in any context. */
static inline u64 u64_peek(const u64 *at, struct spinlock *l)
{
    unsigned long flags = irq_save();
    u64 value = u64_peek_here(at, l);
    irq_restore(flags);
    return value;
}

#endif
