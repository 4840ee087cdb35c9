/* SPDX-License-Identifier: MIT */
/*
 * irq.c - the upcalls of hal/upcalls.h for interrupts.  Each notes what is due;
 * the switch itself happens once, in core_irq_exit().
 */
#include <core/console.h>
#include <core/cpu.h>
#include <core/trace.h>
#include <hal/upcalls.h>

enum { IRQ_TIMER, IRQ_IPI, IRQ_CONSOLE };

/* Windows first: a timer's work must not delay the edge. One reading of the counter decides for all three; a peek
 * saves the locks of what is not due (only this core moves current_end forward and adds timers). */
void core_irq_timer(void)
{
    struct cpu *c = this_cpu();
    ticks_t now = time_now();
    trace(TRACE_IRQ, IRQ_TIMER, 0);
    c->alarm = 0; /* nothing is earlier: who arms a timer from here leaves the hardware to alarm_refresh() */
    if (now >= u64_peek(&c->sched.frame.current_end, &c->sched.lock))
        window_advance(c, now);
    if (now >= u64_peek(&c->sched.slice_end, &c->sched.lock))
        sched_tick(c, now);
    timers_run(c, now);
    alarm_refresh(c);
}

/* The sender set sched.resched, or a slice that only this core can arm. */
void core_irq_ipi(void)
{
    struct cpu *c = this_cpu();
    trace(TRACE_IRQ, IRQ_IPI, 0);
    alarm_before(c, u64_peek(&c->sched.slice_end, &c->sched.lock));
}

void core_irq_console(unsigned port)
{
    trace(TRACE_IRQ, IRQ_CONSOLE, 0);
    console_poll(port);
}

void core_irq_exit(void)
{
    if (this_cpu()->sched.resched)
        schedule();
}
