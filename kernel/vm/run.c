/* SPDX-License-Identifier: MIT */
/*
 * run.c - the thread of a vCPU: enter the guest, handle its exit, again.
 *
 * Each turn enables interrupts once, so that the scheduler can act however often the guest exits. No exit is handled by
 * a loop that the guest can lengthen.
 *
 * A vCPU that goes to sleep must not miss a request. The sleeper sets `halted`, then reads its requests; the kicker
 * sets a request, then reads `halted`, with a full fence on both sides, so one of them sees the other. The same holds
 * for `in_guest`: it is set with interrupts off, so the kicker's interrupt stays pending until VMRUN and ends the
 * guest's run at once.
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

/* A vCPU that is to leave, or to end its domain, has a short way to go, and nobody keeps it from that. Its thread is
 * joined after it has left. */
void vcpu_request(struct vcpu *v, u32 request)
{
    if (request & (VCPU_STOP | VCPU_END))
        thread_hurry(v->thread, PRIO_MAX);
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
    while (!(READ_ONCE(v->requests) & (VCPU_STOP | VCPU_END)) && !machine_has_work(v)) {
        machine_suspended(v);
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

static void handle_exit(struct vcpu *v, struct vcpu_exit *e)
{
    if (e->reason == VCPU_EXIT_HYPERCALL) {
        machine_hypercall(v);
    } else if (e->reason == VCPU_EXIT_IRQ) {
        return; /* nothing to do */
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
        vcpu_fault(v, "an exit that the machine cannot handle");
    }
}

/* Handle the requests. Returns false if the guest must not be entered now. Interrupts must be off. */
static bool handle_requests(struct vcpu *v)
{
    u32 requests = READ_ONCE(v->requests);
    if (vcpu_take_request(v, VCPU_FLUSH))
        vcpu_flush(&v->hal);
    if (requests & (VCPU_STOP | VCPU_END))
        return false;
    return !(requests & VCPU_MACHINE) || machine_handle_requests(v);
}

/* The guest was not entered: end the domain, or wait until this vCPU is started. */
static void wait_or_end(struct vcpu *v)
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
    machine_thread_begin(v);
    for (;;) {
        irq_disable();
        WRITE_ONCE(v->in_guest, true);
        mp_fence();
        if (unlikely(READ_ONCE(v->requests)) && !handle_requests(v)) {
            leave_guest(v);
            if (READ_ONCE(v->vm->stop))
                break;
            wait_or_end(v);
            continue;
        }
        machine_before_run(v);
        vcpu_run(&v->hal, &e);
        machine_after_run(v);
        if (e.reason == VCPU_EXIT_IRQ)
            machine_suspended(v);
        leave_guest(v);
        handle_exit(v, &e);
    }
    domain_thread_gone(v->vm->domain);
    thread_exit();
}
