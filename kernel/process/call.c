/* SPDX-License-Identifier: MIT */
/* call.c - what processes may ask for. Every argument is checked before anything is done. */
#include <core/console.h>
#include <core/cpu.h>
#include <errors.h>
#include <hal/time.h>

#include "process.h"

#define API_VERSION 1
#define MAX_WRITE   4096
#define PIECE       64 /* bytes of a program's text on the kernel's stack */

typedef s64 (*call_fn)(struct process_thread *t);

static inline u64 arg(const struct process_thread *t, unsigned n) { return user_argument(&t->user, n); }

static s64 call_exit(struct process_thread *t)
{
    domain_end(t->process->domain, END_DONE, "exit status %u", (unsigned)arg(t, 0) & 0xff);
    return 0;
}

static s64 call_console_write(struct process_thread *t)
{
    u64 from = arg(t, 0), size = arg(t, 1);
    if (size > MAX_WRITE)
        return -ERANGE;
    char text[PIECE];
    for (u64 done = 0; done < size; done += PIECE) {
        u64 n = MIN(size - done, (u64)PIECE);
        if (process_read(t, text, from + done, n))
            return done ? (s64)done : -EFAULT;
        console_write(t->process->domain->id, text, n);
    }
    return (s64)size;
}

static s64 call_yield(struct process_thread *t)
{
    thread_yield();
    return 0;
}

static s64 call_sleep_until(struct process_thread *t)
{
    ticks_t deadline = time_from_ns(arg(t, 0));
    while (!READ_ONCE(t->thread->stop) && time_now() < deadline && !thread_block(deadline))
        ;
    return 0;
}

static s64 call_thread_create(struct process_thread *t)
{
    if (!space_is_user(arg(t, 0), 1) || !space_is_user(arg(t, 1) - 1, 1) || (arg(t, 3) && !space_is_user(arg(t, 3), 1)))
        return -EINVAL;
    return process_thread_begin(t->process, arg(t, 0), arg(t, 1), arg(t, 2), arg(t, 3));
}

/* The thread's end comes when it is back in its body (run.c). */
static s64 call_thread_exit(struct process_thread *t)
{
    t->last_word = arg(t, 0);
    return 0;
}

static s64 call_thread_pointer(struct process_thread *t)
{
    if (!space_is_user(arg(t, 0), sizeof(u64)))
        return -EINVAL;
    user_set_pointer(&t->user, arg(t, 0));
    return 0;
}

static s64 call_wait(struct process_thread *t) { return process_wait(t, arg(t, 0), (u32)arg(t, 1), arg(t, 2)); }
static s64 call_wake(struct process_thread *t) { return process_wake(t->process, arg(t, 0), arg(t, 1)); }

static s64 call_info(struct process_thread *t)
{
    const s64 answer[] = { API_VERSION, process_threads(t->process), (s64)(time_hz / 1000), t->process->domain->id };
    return arg(t, 0) < ARRAY_SIZE(answer) ? answer[arg(t, 0)] : -ERANGE;
}

enum { CALL_NULL = 0, CALL_EXIT = 1, CALL_CLOCK = 4, CALL_THREAD_EXIT = 7, CALL_THREAD_SELF = 11 };

/* NULL: process_fast() does it. */
static const call_fn calls[] = {
    NULL,
    call_exit,
    call_console_write,
    call_yield,
    NULL,
    call_sleep_until,
    call_thread_create,
    call_thread_exit,
    call_thread_pointer,
    call_wait,
    call_wake,
    NULL,
    call_info,
};

/* Those that nobody waits for. */
bool process_fast(struct user *u)
{
    switch (user_number(u)) {
    case CALL_NULL: user_return(u, 0); return true;
    case CALL_CLOCK: user_return(u, (s64)time_to_ns(time_now())); return true;
    case CALL_THREAD_SELF: user_return(u, container_of(u, struct process_thread, user)->number); return true;
    default: return false;
    }
}

bool process_call(struct process_thread *t)
{
    u64 number = user_number(&t->user);
    t->process->calls++;
    user_return(&t->user, number < ARRAY_SIZE(calls) && calls[number] ? calls[number](t) : -ENOSYS);
    return number != CALL_EXIT && number != CALL_THREAD_EXIT;
}
