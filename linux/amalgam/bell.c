// SPDX-License-Identifier: MIT
/*
 * bell.c - the kernel's doorbell. The kernel rings by an NMI, because Linux owns all other vectors. An NMI handler may
 * only queue work (irq_work); the work copies the kernel's output and wakes whoever waits.
 *
 * The kernel rings again only when Linux has taken its last ring. So a ring that reaches no CPU would be the last one:
 * when a CPU has gone offline another one looks for it. The ring that it takes may have been for a CPU that is there, and
 * its NMI still under way: that is not one of an unknown reason.
 */
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <asm/nmi.h>

#include "module.h"

static void on_work(struct irq_work *work)
{
    stream_rung();
    split_bell();
}

static struct irq_work work = IRQ_WORK_INIT(on_work);

static bool take_bell(void)
{
    struct attach_shared *shared = stream_shared();

    if (!shared || !xchg(&shared->bell, 0))
        return false;
    irq_work_queue(&work);
    return true;
}

static unsigned long expected; /* in jiffies: up to then the NMI of a ring that is taken may come; 0: none */

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
    unsigned long until;

    if (take_bell())
        return NMI_HANDLED;
    until = xchg(&expected, 0);
    return until && time_before(jiffies, until) ? NMI_HANDLED : NMI_DONE;
}

void bell_look(void)
{
    WRITE_ONCE(expected, (jiffies + HZ) | 1); /* before: the NMI may come as soon as the ring is taken */
    if (!take_bell())
        WRITE_ONCE(expected, 0);
}

int bell_start(void) { return register_nmi_handler(NMI_LOCAL, on_nmi, 0, "amalgam"); }

void bell_stop(void)
{
    unregister_nmi_handler(NMI_LOCAL, "amalgam");
    irq_work_sync(&work);
}

/* synchronize_rcu() waits for NMI handlers that are running. */
void bell_synchronize(void)
{
    synchronize_rcu();
    irq_work_sync(&work);
}
