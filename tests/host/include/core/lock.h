/* SPDX-License-Identifier: MIT */
/*
 * core/lock.h for the host: the kernel's own, whose functions also tell tests/host/lock_order.c which lock is taken,
 * where and with what held, if a test links it.
 */
#ifndef AMALGAM_TESTS_CORE_LOCK_H
#define AMALGAM_TESTS_CORE_LOCK_H

#include_next <core/lock.h>

/* A test that counts instructions, or whose cores are threads in a hurry, is compiled with NO_LOCK_ORDER. */
#ifndef NO_LOCK_ORDER

#include "../../lock_order.h"

#pragma weak lock_order_take
#pragma weak lock_order_took
#pragma weak lock_order_release

#define LOCK_ORDER_NOTE(l, text, irqs_on)                                                                              \
    do {                                                                                                               \
        static struct lock_site site_ = { __FILE__, text, 0 };                                                         \
        if (lock_order_take)                                                                                           \
            lock_order_take(l, &site_, this_cpu(), irqs_on);                                                           \
    } while (0)
#define LOCK_ORDER_TAKE(l, text) LOCK_ORDER_NOTE(l, text, irq_enabled())
#define LOCK_ORDER_RELEASE(l)                                                                                          \
    do {                                                                                                               \
        if (lock_order_release)                                                                                        \
            lock_order_release(l);                                                                                     \
    } while (0)

#define spin_lock(l)                                                                                                   \
    ({                                                                                                                 \
        struct spinlock *lock_ = (l);                                                                                  \
        LOCK_ORDER_TAKE(lock_, #l);                                                                                    \
        (spin_lock)(lock_);                                                                                            \
    })
#define spin_lock_here(l) spin_lock(l)
/* It turns interrupts off itself. */
#define spin_lock_by_tries(l)                                                                                          \
    ({                                                                                                                 \
        struct spinlock *tries_ = (l);                                                                                 \
        LOCK_ORDER_NOTE(tries_, #l, false);                                                                            \
        (spin_lock_by_tries)(tries_);                                                                                  \
    })
/* Who only tries waits for nobody. */
#define spin_try(l)                                                                                                    \
    ({                                                                                                                 \
        static struct lock_site site_ = { __FILE__, #l, 0 };                                                           \
        struct spinlock *try_ = (l);                                                                                   \
        bool got_ = (spin_try)(try_);                                                                                  \
        if (got_ && lock_order_took)                                                                                   \
            lock_order_took(try_, &site_, this_cpu());                                                                 \
        got_;                                                                                                          \
    })
#define spin_unlock(l)                                                                                                 \
    ({                                                                                                                 \
        struct spinlock *unlock_ = (l);                                                                                \
        LOCK_ORDER_RELEASE(unlock_);                                                                                   \
        (spin_unlock)(unlock_);                                                                                        \
    })
#define spin_lock_irqsave(l)                                                                                           \
    ({                                                                                                                 \
        struct spinlock *save_ = (l);                                                                                  \
        unsigned long flags_ = irq_save();                                                                             \
        LOCK_ORDER_TAKE(save_, #l);                                                                                    \
        (spin_lock)(save_);                                                                                            \
        flags_;                                                                                                        \
    })
#define spin_unlock_irqrestore(l, flags)                                                                               \
    ({                                                                                                                 \
        struct spinlock *restore_ = (l);                                                                               \
        LOCK_ORDER_RELEASE(restore_);                                                                                  \
        (spin_unlock_irqrestore)(restore_, flags);                                                                     \
    })
/* A machine of 32 bits takes the lock. */
#define LOCK_ORDER_PEEK(l, text)                                                                                       \
    ({                                                                                                                 \
        struct spinlock *peek_ = (l);                                                                                  \
        LOCK_ORDER_TAKE(peek_, text);                                                                                  \
        LOCK_ORDER_RELEASE(peek_);                                                                                     \
        peek_;                                                                                                         \
    })
#define u64_peek_here(at, l) (u64_peek_here)(at, LOCK_ORDER_PEEK(l, #l))
#define u64_peek(at, l)                                                                                                \
    ({                                                                                                                 \
        unsigned long flags_ = irq_save();                                                                             \
        u64 value_ = (u64_peek_here)(at, LOCK_ORDER_PEEK(l, #l));                                                      \
        irq_restore(flags_);                                                                                           \
        value_;                                                                                                        \
    })

#endif
#endif
