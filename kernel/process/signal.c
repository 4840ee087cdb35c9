/* SPDX-License-Identifier: MIT */
/*
 * signal.c - signals, which threads of a process send each other, and alarms, which are signals after a time.
 *
 * A thread takes a signal on its way outside: the kernel puts the program's registers, the context, onto its stack, and
 * the program goes on at its one entry. There it does what it likes, and returns by signal_return() to this context or
 * to another one, by which it can run several threads of its own on one of the kernel's. Until then the thread takes no
 * other signal; these stay pending. A thread that has gone on without a context says by HOLD that it is in a signal
 * again, so that what it does until it returns to the context is not interrupted.
 *
 * Who sends sets the thread's bit PROCESS_SIGNAL, and wakes or interrupts the thread. run_program() looks at that word
 * with interrupts off before it goes outside, and so does the short way of a call that blocks (process_blocking()): so
 * a signal that comes later finds the thread outside, where the interrupt brings it in. One that comes before the
 * thread sleeps is a wake-up that the scheduler remembers, and waits look at the word after each wake-up. Waits that
 * know nothing of processes look at thread.signal, which says the same.
 *
 * Stack, entry and context are the program's, so nothing of them is believed. A stack that cannot be written ends the
 * process; a context changes what the program could change itself (hal/user.h).
 */
#include "memory.h"
#include "signal.h"

#include <core/cpu.h>
#include <core/sched.h>
#include <errors.h>
#include <generated/process_calls.h>
#include <hal/cpu.h>
#include <hal/upcalls.h>

#define SIGNAL_ALARM  14u /* POSIX */
#define CONTEXT_ALIGN 16ull
#define HOLD          1u           /* in place of a context, which lies nowhere near */
#define LONGEST       (1ull << 60) /* nanoseconds: 36 years, so that no sum overflows */

/*
 * A wait that finds `reason` ends with an error. The bit is set before: so the thread finds the bit on its way outside,
 * and the error does not reach the program by itself.
 *
 * Whoever sets the bit first wakes the thread, and interrupts it if it has the core: the program may never make a call.
 * thread_wake() takes the lock under which a core changes its running thread. So a thread that is not running here
 * reads the bit when it gets the core.
 */
void process_attend(struct process_thread *t, u32 bits, bool *reason)
{
    u32 before = __atomic_fetch_or(&t->look, bits, __ATOMIC_RELAXED);
    __atomic_store_n(reason, true, __ATOMIC_RELEASE);
    if ((before & bits) == bits)
        return;
    thread_wake(t->thread);
    if (process_has_core(t) && t->thread->cpu != this_cpu()->id)
        hal_ipi_resched(t->thread->cpu);
}

/* The thread has a signal to take. Under the lock. */
static void call(struct process_thread *t, u32 bits) { process_attend(t, bits, &t->thread->signal); }

void process_thread_leave(struct process_thread *t, unsigned prio)
{
    thread_hurry(t->thread, prio);
    process_attend(t, PROCESS_LEAVES, &t->thread->stop);
}

/* Under the lock. */
static void raise(struct process_thread *t, u32 signal)
{
    t->pending |= 1u << signal;
    if (!t->handles)
        call(t, PROCESS_SIGNAL | PROCESS_SIGNALS);
}

/* The timer's function, on the thread's core */
static void alarm_rings(void *arg)
{
    struct process_thread *t = arg;
    unsigned long flags = spin_lock_irqsave(&t->process->lock);
    if (t->process->signal_entry && t->state != PROCESS_FREE)
        raise(t, SIGNAL_ALARM);
    spin_unlock_irqrestore(&t->process->lock, flags);
}

void process_signals_init(struct process_thread *t) { timer_init(&t->alarm, alarm_rings, t); }

void process_signals_begin(struct process_thread *t)
{
    t->look = t->pending = 0;
    t->handles = false;
}

__cold void process_signals_end(struct process_thread *t)
{
    timer_cancel(&t->alarm);
    t->pending = 0;
    t->handles = t->thread->signal = false;
    __atomic_fetch_and(&t->look, PROCESS_LEAVES, __ATOMIC_RELAXED);
}

__cold void process_signals_destroy(struct process *p)
{
    for (unsigned i = 0; i < p->n; i++) /* a thread that a fault of the kernel has stopped has left its alarm */
        timer_cancel(&p->thread[i].alarm);
    timers_synchronize();
}

/* Take a signal off those that are pending. Returns where the program wants it; 0: there is none. */
static u64 next_signal(struct process_thread *t, u32 *signal)
{
    struct process *p = t->process;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    __atomic_fetch_and(&t->look, ~PROCESS_SIGNAL, __ATOMIC_RELAXED);
    WRITE_ONCE(t->thread->signal, false);
    u64 entry = t->handles || !t->pending ? 0 : p->signal_entry;
    for (*signal = 0; entry && !(t->pending >> *signal & 1);)
        ++*signal;
    if (entry) {
        t->pending &= ~(1u << *signal);
        t->handles = true;
    }
    spin_unlock_irqrestore(&p->lock, flags);
    return entry;
}

u64 process_signal_take(struct process_thread *t)
{
    u32 signal;
    struct user_context context;
    u64 entry = next_signal(t, &signal);
    if (!entry)
        return 0;
    u64 at = ALIGN_DOWN(user_stack(&t->user) - USER_RED_ZONE - sizeof(context), CONTEXT_ALIGN);
    user_save(&t->user, &context);
    if (process_write(t, at, &context, sizeof(context)))
        return at ? at : 1;
    user_upcall(&t->user, entry, at, signal);
    return 0;
}

s64 process_call_signal_entry(struct process_thread *t, u64 entry)
{
    struct process *p = t->process;
    if (!space_is_user(entry, 1))
        return -EINVAL;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    p->signal_entry = entry;
    spin_unlock_irqrestore(&p->lock, flags);
    return 0;
}

s64 process_call_signal_send(struct process_thread *t, u32 thread, u32 signal)
{
    struct process *p = t->process;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    s64 err = thread >= p->n || p->thread[thread].state == PROCESS_FREE ? -ENOENT : p->signal_entry ? 0 : -EAGAIN;
    if (!err)
        raise(&p->thread[thread], signal);
    spin_unlock_irqrestore(&p->lock, flags);
    sched_poll();
    return err;
}

s64 process_call_signal_return(struct process_thread *t, u64 from)
{
    struct process *p = t->process;
    struct user_context context;
    if (from > HOLD && process_read(t, &context, from, sizeof(context)))
        return -EFAULT;
    if (from > HOLD && !user_restore(&t->user, &context))
        return -EINVAL;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    t->handles = from == HOLD;
    if (t->pending && !t->handles)
        call(t, PROCESS_SIGNAL);
    spin_unlock_irqrestore(&p->lock, flags);
    return from > HOLD ? user_result(&t->user) : 0;
}

s64 process_call_alarm(struct process_thread *t, u64 ns)
{
    if (!READ_ONCE(t->process->signal_entry))
        return -EAGAIN;
    unsigned long flags =
        irq_save(); /* the timer is this core's: nobody else arms it, and it does not ring meanwhile */
    ticks_t now = time_now(), before = t->alarm.deadline;
    u64 left = 0;
    if (timer_cancel(&t->alarm)) /* 1: it is due and has not rung */
        left = before > now ? time_to_ns(before - now) : 1;
    if (ns) {
        __atomic_fetch_or(&t->look, PROCESS_SIGNALS, __ATOMIC_RELAXED);
        timer_arm(&t->alarm, time_after(MIN(ns, LONGEST)));
    }
    irq_restore(flags);
    return (s64)left;
}
