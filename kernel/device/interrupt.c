/* SPDX-License-Identifier: MIT */
/*
 * interrupt.c - interrupts of devices that processes drive.
 *
 * An interrupt masks its line. A thread of the driver returns from irq_wait(), or finds by its next one that the
 * interrupt came; irq_done() lets the next one come. So a device interrupts a core once for each irq_done() of its
 * driver, which makes that in its own windows only.
 *
 * A thread that waits is in its process's list of waiters, at an odd address, as one that waits for a tunnel's bell.
 */
#include <core/cpu.h>
#include <errors.h>
#include <generated/device_calls.h>
#include <hal/upcalls.h>
#include <process/waiters.h>

#include "device.h"

static u64 wait_address(const struct device *d) { return device_address(d) + 1; }

void device_interrupt(unsigned n)
{
    struct device *d = device_on(n);
    struct process *p = d->process;
    __atomic_store_n(&d->masked, true, __ATOMIC_RELAXED);
    spin_lock_here(&p->lock);
    if (!process_waiters_wake_here(p, wait_address(d), 1))
        d->rung = true;
    spin_unlock(&p->lock);
}

/* Take an interrupt that came, or add the thread to those that wait for one: -EAGAIN. */
static s64 look(struct process_thread *t, struct device *d)
{
    struct process *p = t->process;
    spin_lock_here(&p->lock);
    s64 result = d->rung ? 0 : READ_ONCE(d->masked) ? -EBUSY : -EAGAIN;
    d->rung = false;
    if (result == -EAGAIN)
        process_waiter_add(t, wait_address(d));
    spin_unlock(&p->lock);
    return result;
}

s64 device_call_irq_wait(struct process_thread *t, u32 handle, u64 deadline)
{
    struct device *d = device_of(t->process, handle);
    if (unlikely(!d))
        return -EBADF;
    unsigned long flags = irq_save();
    s64 result = look(t, d);
    if (result == -EAGAIN)
        result = process_waiter_block_here(t, deadline);
    irq_restore(flags);
    return result;
}

s64 device_call_irq_done(struct process_thread *t, u32 handle)
{
    struct device *d = device_of(t->process, handle);
    if (unlikely(!d))
        return -EBADF;
    if (__atomic_exchange_n(&d->masked, false, __ATOMIC_RELAXED)) {
        if (d->class->seen)
            d->class->seen(&d->hal);
        hal_line_mask(d->line, false);
    }
    return 0;
}
