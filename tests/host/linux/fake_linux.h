/* SPDX-License-Identifier: MIT */
/*
 * fake_linux.h - the Linux that a source of the module (linux/amalgam) meets in a unit test: one thread, so a lock that
 * is held already would never be given back. Who sleeps calls host_sleeps(), in which the test is everybody else.
 */
#ifndef AMALGAM_TESTS_FAKE_LINUX_H
#define AMALGAM_TESTS_FAKE_LINUX_H

#include <linux/errno.h>
#include <linux/ioctl.h>
#include <linux/types.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <types.h> /* the kernel's, which has the names of Linux */

typedef unsigned int __poll_t;

/* The kernel beneath answers 0: the assembler takes this for the instruction. */
__asm__(".macro vmmcall\n xorl %eax, %eax\n .endm");
#define _ASM_EXTABLE(from, to) ""

#define __user
#define asmlinkage
#define ERESTARTSYS             512
#define NMI_LOCAL               0
#define NMI_DONE                0
#define NMI_HANDLED             1
#define EPOLLIN                 1u
#define EPOLLOUT                4u
#define EPOLLRDNORM             0x40u
#define EPOLLWRNORM             0x100u
#define smp_load_acquire(p)     __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define xchg(p, v)              __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)
#define min_t(type, a, b)       ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define msecs_to_jiffies(ms)    (ms)
#define pr_warn_once(...)       ((void)0)
#define HZ                      1000
#define jiffies                 host_jiffies
#define time_before(a, b)       ((long)((a) - (b)) < 0)
extern unsigned long host_jiffies;

struct pt_regs;
struct file;
typedef struct poll_table_struct poll_table;
struct irq_work {
    void (*run)(struct irq_work *work);
};
#define IRQ_WORK_INIT(fn)                                                                                              \
    {                                                                                                                  \
        fn                                                                                                             \
    }
static inline void irq_work_queue(struct irq_work *work) { work->run(work); }
static inline void irq_work_sync(struct irq_work *work) {}
extern int (*host_nmi)(unsigned int type, struct pt_regs *regs);
static inline int register_nmi_handler(int type, int (*fn)(unsigned int, struct pt_regs *), int flags, const char *name)
{
    host_nmi = fn;
    return 0;
}
static inline void unregister_nmi_handler(int type, const char *name) {}
static inline void synchronize_rcu(void) {}

#define vmalloc    malloc
#define vfree      free
#define kfree      free
#define GFP_KERNEL 0
static inline void *kzalloc(size_t n, int how) { return calloc(1, n); }

/* A test defines both: what others do while this thread sleeps, and what happens to a thread that waits for a lock of
 * one that sleeps. */
void host_sleeps(void);
void host_waits_for_a_sleeper(void);

/* Returns the number of bytes that could not be copied. A page of the program may have to come from elsewhere. */
static inline unsigned long copy_from_user(void *to, const void *from, size_t n)
{
    host_sleeps();
    memcpy(to, from, n);
    return 0;
}
static inline unsigned long copy_to_user(void *to, const void *from, size_t n)
{
    host_sleeps();
    memcpy(to, from, n);
    return 0;
}

typedef struct {
    bool held;
} spinlock_t;
struct mutex {
    bool held;
};
#define __SPIN_LOCK_UNLOCKED(name)                                                                                     \
    (spinlock_t) { false }
#define __MUTEX_INITIALIZER(name)                                                                                      \
    {                                                                                                                  \
        false                                                                                                          \
    }
static inline void host_lock(bool *held)
{
    if (*held)
        host_waits_for_a_sleeper();
    *held = true;
}
static inline void spin_lock_irq(spinlock_t *l) { host_lock(&l->held); }
static inline void spin_unlock_irq(spinlock_t *l) { l->held = false; }
#define spin_lock_irqsave(l, flags)      ((flags) = 0, spin_lock_irq(l))
#define spin_unlock_irqrestore(l, flags) ((void)(flags), spin_unlock_irq(l))
static inline void mutex_lock(struct mutex *m) { host_lock(&m->held); }
static inline int mutex_lock_interruptible(struct mutex *m)
{
    host_lock(&m->held);
    return 0;
}
static inline void mutex_unlock(struct mutex *m) { m->held = false; }

typedef struct {
    int unused;
} wait_queue_head_t;
#define __WAIT_QUEUE_HEAD_INITIALIZER(name)                                                                            \
    {                                                                                                                  \
        0                                                                                                              \
    }
static inline void wake_up_all(wait_queue_head_t *q) {}
static inline void poll_wait(struct file *file, wait_queue_head_t *q, poll_table *table) {}

/* A signal ends a wait that would not end by itself: 1,000 sleeps. */
#define host_wait_event(condition, late)                                                                               \
    ({                                                                                                                 \
        long left_ = 1000;                                                                                             \
        while (!(condition) && --left_)                                                                                \
            host_sleeps();                                                                                             \
        left_ ? (late) : -ERESTARTSYS;                                                                                 \
    })
#define wait_event_interruptible(q, condition)                  host_wait_event(condition, 0)
#define wait_event_interruptible_timeout(q, condition, timeout) host_wait_event(condition, 1)

#endif
