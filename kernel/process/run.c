/* SPDX-License-Identifier: MIT */
/* run.c - the body of a process's kernel thread: it runs one thread of the program after another; see process.h. */
#include <core/cpu.h>
#include <core/log.h>
#include <hal/context.h>
#include <hal/cpu.h>

#include "memory.h"
#include "pages.h"
#include "part.h"
#include "signal.h"
#include "waiters.h"
#include "watchdog.h"

#define BACKTRACE_FRAMES 8

/* Turn an address in the program's image into an offset there. Returns the prefix to print before it. */
static const char *image_offset(const struct process *p, u64 *at)
{
    if (*at - USER_BASE >= p->program.size)
        return "";
    *at -= USER_BASE;
    return "image+";
}

/* Interrupts are off: nobody brings a page that is not there. */
static int read_frame(struct process_thread *t, unsigned long frame[2])
{
    unsigned long flags = irq_save();
    int err = process_read(t, frame, frame[0], 2 * sizeof(frame[0]));
    irq_restore(flags);
    return err;
}

/* Print the callers; frame pointers lead to them. */
static __cold void report_callers(struct process_thread *t)
{
    unsigned long frame[2] = { (unsigned long)user_frame(&t->user) };
    for (unsigned i = 0; i < BACKTRACE_FRAMES && frame[0] && !read_frame(t, frame); i++) {
        u64 caller = frame[1];
        const char *in = image_offset(t->process, &caller);
        printk("process %s: called from %s%llx\n", t->process->domain->conf->name, in, caller);
    }
}

static __cold __noinline void report_fault(struct process_thread *t, const char *why, u64 address)
{
    struct process *p = t->process;
    u64 pc = user_pc(&t->user);
    const char *in = image_offset(p, &pc);
    p->faults++;
    printk("process %s: thread %u: %s at %s%llx, address %llx\n", p->domain->conf->name, t->number, why, in, pc,
           address);
    user_dump(&t->user);
    report_callers(t);
    domain_end(p->domain, END_FAULT, "thread %u: %s at %s%llx, address %llx", t->number, why, in, pc, address);
}

/* The thread has to end, or takes a signal. Returns whether it goes on. */
static __cold __noinline bool attend(struct process_thread *t)
{
    if (READ_ONCE(t->look) & PROCESS_LEAVES)
        return false;
    u64 missed = process_signal_take(t);
    if (missed && !(READ_ONCE(t->look) & PROCESS_LEAVES))
        report_fault(t, "no stack for a signal", missed);
    return !missed;
}

/* Run the program until its thread ends, or has to end. Its extended registers begin in the reset state, whatever the
 * thread before it left there. */
static void run_program(struct process_thread *t)
{
    bool goes_on = true;
    irq_disable();
    fpu_reset(t->thread->fpu);
    irq_enable();
    while (goes_on) {
        struct user_exit e;
        irq_disable();
        if (unlikely(READ_ONCE(t->look) & (PROCESS_LEAVES | PROCESS_SIGNAL))) {
            irq_enable();
            goes_on = attend(t);
            continue;
        }
        user_run(&t->user, &e);
        irq_enable();
        if (e.reason == USER_CALL) {
            goes_on = process_call(t);
        } else if (e.reason == USER_FAULT && !process_touch(t, e.address, e.access) &&
                   !process_page_fault(t, e.address)) {
            report_fault(t, e.why, e.address);
            goes_on = false;
        }
    }
}

void process_thread_body(void *arg)
{
    struct process_thread *t = arg;
    struct domain *d = t->process->domain;
    while (!READ_ONCE(t->thread->stop)) {
        if (READ_ONCE(t->state) != PROCESS_READY) {
            process_thread_sleep();
            continue;
        }
        t->state = PROCESS_RUNNING;
        run_program(t);
        if (!(READ_ONCE(t->look) & PROCESS_LEAVES)) /* else it stays as it is, for core files (run --core) */
            process_thread_end(t);
    }
    timer_cancel(&t->alarm);
    process_watchdog_end(t->process);
    unsigned long flags = irq_save();
    fpu_switch(t->thread->fpu, t->thread->fpu); /* its registers into its record, also for core files */
    space_leave();
    irq_restore(flags);
    if (!__atomic_sub_fetch(&t->process->space_users, 1, __ATOMIC_ACQ_REL))
        process_parts(t->process, PROCESS_ENDS);
    domain_thread_gone(d);
}
