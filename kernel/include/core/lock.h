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

/* Words, because not every instruction set has atomic operations on less (RISC-V). */
struct spinlock {
    u32 next;  /* the ticket the next comer draws */
    u32 owner; /* the ticket being served */
};

#define SPINLOCK_INIT                                                                                                  \
    {                                                                                                                  \
        0, 0                                                                                                           \
    }

/* In line, for the shortest paths. */
static inline void spin_lock_here(struct spinlock *l)
{
    u32 ticket = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED);
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

/*
 * A u64 that is written only with `l` held, read by a core that does not hold it: never half of one value and half of
 * the next. One load where a register holds it, else under the lock. Any context.
 */
static inline u64 u64_peek(const u64 *at, struct spinlock *l)
{
    if (sizeof(long) >= sizeof(u64))
        return READ_ONCE(*at);
    unsigned long flags = spin_lock_irqsave(l);
    u64 value = *at;
    spin_unlock_irqrestore(l, flags);
    return value;
}

#endif
