/* SPDX-License-Identifier: MIT */
/*
 * core/lock.h - ticket spin locks: first come, first served, so no core starves.
 *
 * A lock is always taken with interrupts disabled, and code with interrupts
 * enabled is always preemptible: there is no separate preemption counter.
 * Lock order, outermost first: domain -> device -> irqchip -> timer -> run queue -> log.
 */
#ifndef AMALGAM_CORE_LOCK_H
#define AMALGAM_CORE_LOCK_H

#include <hal/cpu.h>

struct spinlock {
    u16 next;  /* the ticket the next comer draws */
    u16 owner; /* the ticket being served */
};

#define SPINLOCK_INIT                                                                                                  \
    {                                                                                                                  \
        0, 0                                                                                                           \
    }

/* In line, for the shortest paths. */
static inline void spin_lock_here(struct spinlock *l)
{
    u16 ticket = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED);
    while (unlikely(__atomic_load_n(&l->owner, __ATOMIC_ACQUIRE) != ticket))
        cpu_relax();
}

static __noinline void spin_lock(struct spinlock *l) { spin_lock_here(l); }

static inline void spin_unlock(struct spinlock *l)
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
    l->owner++; /* nobody else writes it while the lock is held */
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

#endif
