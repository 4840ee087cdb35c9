/* SPDX-License-Identifier: MIT */
/*
 * call.c - the calls of processes (kernel/api/process.yaml describes them). The generated dispatcher, which is in line
 * here, checks ranges and choices. A call checks its other arguments before it changes anything.
 */
#include <core/console.h>
#include <core/cpu.h>
#include <errors.h>
#include <generated/dispatch.h>
#include <hal/time.h>

#include "memory.h"
#include "waiters.h"

#define TEXT_BYTES 128 /* bytes of console text that are copied at once, on the kernel's stack, and written whole */
#define A_SECOND   1000000000ull

/* --- fast: interrupts off --------------------------------------------------------------------------------------- */

s64 process_call_null(struct user *u) { return 0; }
s64 process_call_clock(struct user *u) { return (s64)time_to_ns(time_now()); }
s64 process_call_thread_self(struct user *u) { return container_of(u, struct process_thread, user)->number; }

/* The call has its result, but the thread has to end or takes a signal: that is run_program()'s matter. */
static __cold __noinline bool take_long_way(struct process_thread *t, s64 result)
{
    user_return(&t->user, result);
    __atomic_fetch_or(&t->look, PROCESS_ANSWERED, __ATOMIC_RELAXED);
    return false;
}

/* Handle a call that blocks or wakes. Other threads may have run on the core meanwhile, so load the thread's space
 * again. Returns false also for a thread that is not to go outside at once. */
__noinline bool process_blocking(struct user *u)
{
    struct process_thread *t = container_of(u, struct process_thread, user);
    s64 result;
    if (!dispatch_blocking(t, &result))
        return false;
    if (unlikely(READ_ONCE(t->look) & (PROCESS_LEAVES | PROCESS_SIGNAL)))
        return take_long_way(t, result);
    t->process->calls++;
    user_return(&t->user, result);
    user_refresh(&t->user);
    return true;
}

/* --- slow: interrupts on ------------------------------------------------------------------------------------------ */

s64 process_call_exit(struct process_thread *t, u64 status)
{
    struct process_image *image = process_image(t->process);
    u32 none = 0;
    if (image)
        __atomic_compare_exchange_n(&image->status, &none, PROCESS_EXITED | (status & 0xff), false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    domain_end(t->process->domain, END_DONE, "exit status %u", (unsigned)status & 0xff);
    return 0;
}

/* The console lets other text in after each of its own chunks, so threads of one process write one after the other. The
 * text is read before, because a pager may have to bring its page, and may print. */
s64 process_call_console_write(struct process_thread *t, u64 from, u32 size)
{
    char text[TEXT_BYTES];
    struct process *p = t->process;
    u32 done = 0;
    while (done < size) {
        u32 n = MIN(size - done, (u32)TEXT_BYTES);
        if (process_read(t, text, from + done, n))
            return done ? (s64)done : -EFAULT;
        if (sem_wait(&p->console, TICKS_NEVER)) /* the thread is to end */
            break;
        console_write(process_image(p) ? process_image(p)->console : p->domain->id, text, n);
        sem_post(&p->console);
        done += n;
    }
    return done;
}

s64 process_call_yield(struct process_thread *t)
{
    thread_yield();
    return 0;
}

s64 process_call_sleep_until(struct process_thread *t, u64 ns)
{
    ticks_t deadline = time_from_ns(ns);
    while (!READ_ONCE(t->thread->stop) && time_now() < deadline && !thread_block(deadline))
        if (READ_ONCE(t->look) & PROCESS_SIGNAL)
            return -EINTR;
    return 0;
}

s64 process_call_thread_create(struct process_thread *t, u64 entry, u64 stack, u64 arg, u64 tp)
{
    if (!space_is_user(entry, 1) || !space_is_user(stack - 1, 1) || (tp && !space_is_user(tp, 1)))
        return -EINVAL;
    return process_thread_start(t, entry, stack, arg, tp);
}

s64 process_call_thread_cores(struct process_thread *t, u32 cores)
{
    if (!(cores & (u32)((1ull << t->process->domain->conf->n_vcpus) - 1)))
        return -EINVAL;
    t->cores = cores;
    return 0;
}

/* The thread ends when it is back in process_thread_body(). */
s64 process_call_thread_exit(struct process_thread *t, u64 word)
{
    t->exit_word = word;
    return 0;
}

s64 process_call_thread_pointer(struct process_thread *t, u64 tp)
{
    if (!space_is_user(tp, sizeof(u64)))
        return -EINVAL;
    user_set_pointer(&t->user, tp);
    return 0;
}

s64 process_call_wait(struct process_thread *t, u64 word, u32 expected, u64 deadline)
{
    return process_wait(t, word, expected, deadline);
}

s64 process_call_wake(struct process_thread *t, u64 word, u64 count) { return process_wake(t->process, word, count); }

/* Returns the wall clock when the counter was 0, by the rate that is known now; 0: there is none. Without one the two
 * differ by what lies between the readings, or the first is 0. */
s64 process_epoch(void)
{
    u64 now = time_to_ns(time_now()), wall = hal_wall_clock_at(now);
    return wall > now + A_SECOND ? (s64)(wall - now) : 0;
}

s64 process_call_info(struct process_thread *t, u32 field)
{
    const s64 answer[] = {
        [PROCESS_CALL_INFO_VERSION] = PROCESS_CALLS_VERSION,
        [PROCESS_CALL_INFO_THREADS] = process_threads(t->process),
        [PROCESS_CALL_INFO_TSC_KHZ] = (s64)(time_hz / 1000),
        [PROCESS_CALL_INFO_DOMAIN] = t->process->domain->id,
        [PROCESS_CALL_INFO_CORES] = t->process->domain->conf->n_vcpus,
        [PROCESS_CALL_INFO_CORE] = t->core,
        [PROCESS_CALL_INFO_WATCHDOG] = t->process->domain->conf->watchdog_ms,
        [PROCESS_CALL_INFO_EPOCH] = field == PROCESS_CALL_INFO_EPOCH ? process_epoch() : 0,
    };
    return answer[field];
}

bool process_call(struct process_thread *t)
{
    t->process->calls++;
    if (unlikely(READ_ONCE(t->look) & PROCESS_ANSWERED)) {
        __atomic_fetch_and(&t->look, ~PROCESS_ANSWERED, __ATOMIC_RELAXED);
        return true;
    }
    u64 number = user_number(&t->user);
    user_return(&t->user, dispatch_other(t));
    return !dispatch_ends(number);
}
