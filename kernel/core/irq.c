/* SPDX-License-Identifier: MIT */
/*
 * irq.c - the upcalls for interrupts (hal/upcalls.h). Each records what is due; core_irq_exit() then switches threads
 * once.
 */
#include <core/console.h>
#include <core/cpu.h>
#include <core/trace.h>
#include <hal/upcalls.h>

enum { IRQ_TIMER, IRQ_IPI, IRQ_CONSOLE };

/* The window comes first, because a timer's function must not delay its edge. One reading of the counter decides all
 * three. u64_peek_here() saves the locks when nothing is due: only this core moves current_end forward and adds timers.
 */
void core_irq_timer(void)
{
    struct cpu *c = this_cpu();
    ticks_t now = time_now();
    trace(TRACE_IRQ, IRQ_TIMER, 0);
    c->alarm = 0; /* no deadline is earlier, so timer_arm() leaves the hardware to alarm_refresh() */
    if (now >= u64_peek_here(&c->sched.frame.current_end, &c->sched.lock))
        window_advance(c, now);
    if (now >= u64_peek_here(&c->sched.slice_end, &c->sched.lock))
        sched_tick(c, now);
    timers_run(c, now);
    alarm_refresh(c);
}

/* The sender has set sched.resched, or a slice's end for which only this core can set the alarm. */
void core_irq_ipi(void)
{
    struct cpu *c = this_cpu();
    trace(TRACE_IRQ, IRQ_IPI, 0);
    alarm_before(c, u64_peek_here(&c->sched.slice_end, &c->sched.lock));
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
