/* SPDX-License-Identifier: MIT */
/*
 * run.c - the life of a vCPU thread: enter the guest, take what comes back, again.
 *
 * Every pass enables interrupts once, so the scheduler gets its say however often
 * the guest leaves; no exit is handled in a loop that the guest can make longer.
 *
 * The race between "nothing to do, sleep" and "here is something": a sleeper sets
 * `halted`, then looks; a kicker sets its request, then looks at `halted` (a full
 * fence on both sides).  One of them sees the other.  The same holds for `in_guest`,
 * which is set with interrupts off, so that the kicker's interrupt stays pending
 * until VMRUN and ends the guest's run at once.
 */
#include <core/cpu.h>
#include <core/log.h>
#include <vm/vm.h>

void vcpu_kick(struct vcpu *v)
{
    mp_fence();
    if (READ_ONCE(v->halted)) {
        thread_wake_at(&v->thread, v->core);
    } else if (READ_ONCE(v->in_guest) && v->core != this_cpu()->id) {
        v->kicks++;
        hal_ipi_resched(v->core);
    }
}

void vcpu_request(struct vcpu *v, u32 request)
{
    __atomic_fetch_or(&v->requests, request, __ATOMIC_SEQ_CST);
    vcpu_kick(v);
}

void vcpu_fault(struct vcpu *v, const char *why)
{
    machine_dump(v);
    domain_end(v->vm->domain, END_FAULT, "vcpu %u: %s", v->id, why);
}

static void idle(struct vcpu *v)
{
    unsigned long flags = irq_save();
    v->alive = true;
    v->halts++;
    WRITE_ONCE(v->halted, true);
    mp_fence();
    while (!(READ_ONCE(v->requests) & (VCPU_STOP | VCPU_END)) && !machine_awake(v)) {
        machine_away(v);
        thread_block(TICKS_NEVER);
    }
    WRITE_ONCE(v->halted, false);
    irq_restore(flags);
}

static void do_pio(struct vcpu *v, struct vcpu_exit *e)
{
    bool done = io_access(&v->vm->pio, e->addr, e->size, e->write, &e->value);
    if (!e->write)
        vcpu_complete_read(&v->hal, e, e->value);
    else if (done)
        vcpu_complete(&v->hal, e);
}

static void settle(struct vcpu *v, struct vcpu_exit *e)
{
    if (e->reason == VCPU_EXIT_HYPERCALL) {
        machine_hypercall(v);
    } else if (e->reason == VCPU_EXIT_IRQ) {
        return; /* nothing is left to do */
    } else if (e->reason == VCPU_EXIT_PIO) {
        do_pio(v, e);
    } else if (e->reason == VCPU_EXIT_IDLE) {
        vcpu_complete(&v->hal, e);
        idle(v);
    } else if (e->reason == VCPU_EXIT_TRIPLE) {
        machine_dump(v);
        domain_end(v->vm->domain, END_TRIPLE_FAULT, "vcpu %u: triple fault", v->id);
    } else if (e->reason == VCPU_EXIT_FAULT) {
        vcpu_fault(v, e->why);
    } else if (!machine_exit(v, e)) {
        vcpu_fault(v, "an exit that the machine cannot settle");
    }
}

/* Somebody asked for something. False: do not enter the guest now. Interrupts off. */
static bool attend(struct vcpu *v)
{
    u32 requests = READ_ONCE(v->requests);
    if (vcpu_take_request(v, VCPU_FLUSH))
        vcpu_flush(&v->hal);
    if (requests & (VCPU_STOP | VCPU_END))
        return false;
    return !(requests & VCPU_MACHINE) || machine_attend(v);
}

/* The guest was not entered: the domain ends, or this vCPU waits to be started. */
static void stay(struct vcpu *v)
{
    if (vcpu_take_request(v, VCPU_END))
        domain_end(v->vm->domain, v->vm->end, "%s", v->vm->end_why);
    else
        idle(v);
}

static void leave_guest(struct vcpu *v)
{
    WRITE_ONCE(v->in_guest, false);
    irq_enable();
}

void vcpu_thread(void *arg)
{
    struct vcpu *v = arg;
    struct vcpu_exit e;
    if (hal_guest_enable()) /* the first vCPU of a core prepares it */
        domain_end(v->vm->domain, END_UNSTARTED, "core %u cannot run guests", v->core);
    machine_begin(v);
    for (;;) {
        irq_disable();
        WRITE_ONCE(v->in_guest, true);
        mp_fence();
        if (unlikely(READ_ONCE(v->requests)) && !attend(v)) {
            leave_guest(v);
            if (READ_ONCE(v->vm->stop))
                break;
            stay(v);
            continue;
        }
        machine_enter(v);
        vcpu_run(&v->hal, &e);
        machine_left(v);
        if (e.reason == VCPU_EXIT_IRQ)
            machine_away(v);
        leave_guest(v);
        settle(v, &e);
    }
    domain_thread_gone(v->vm->domain);
    thread_exit();
}
