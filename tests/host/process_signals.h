/* SPDX-License-Identifier: MIT */
/*
 * process_signals.h - signals and alarms of process_runner.c's threads, as kernel/process/signal.c has them.
 *
 * Who sends sets a bit, and interrupts the thread by a signal of Linux. Its handler changes the registers with which
 * the program goes on; if it finds the thread in the runner, on_call() does so at its end. Both signals of Linux are
 * blocked in the runner but for blocking(): one that comes there before the call of Linux sleeps ends it by its program
 * counter, one that comes before blocking() looks at the word by that word.
 */
#ifndef PROCESS_SIGNALS_H
#define PROCESS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#include "../../user/include/amalgam/calls.h"
#include "process_memory.h"
#include "process_runner.h"

#define RING     SIGUSR1
#define ALARM    SIGALRM /* Linux' number is the process's */
#define RINGS    (1ull << (RING - 1) | 1ull << (ALARM - 1))
#define SIGNALS  32
#define RED_ZONE 128
#define HOLD     1

/* Of a thread. */
struct signals {
    uint32_t pending, ring; /* ring: 1 while it does not go on with a call that blocks */
    bool handles, has_timer;
    int timer;
};

/* kernel/arch/x86/64: struct user_context */
struct context {
    uint64_t r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, vector, error, rip, cs, rflags,
        rsp, ss;
};
#define EACH(do)                                                                                                       \
    do                                                                                                                 \
    (r15, R15) do(r14, R14) do(r13, R13) do(r12, R12) do(rbp, RBP) do(rbx, RBX) do(r11, R11) do(r10, R10) do(          \
        r9, R9) do(r8, R8) do(rax, RAX) do(rcx, RCX) do(rdx, RDX) do(rsi, RSI) do(rdi, RDI) do(rip,                    \
                                                                                               RIP) do(rflags,         \
                                                                                                       EFL) do(rsp,    \
                                                                                                               RSP)

static uint64_t signal_entry;

long blocking(long n, const uint64_t a[6], const uint32_t *ring);
__asm__(".text\nblocking: mov %rdi, %rax; mov %rdx, %rcx; mov 40(%rsi), %r9; mov 32(%rsi), %r8; mov 24(%rsi), %r10\n"
        "mov 16(%rsi), %rdx; mov (%rsi), %rdi; mov 8(%rsi), %rsi\n"
        "blocking_begin: cmpl $0, (%rcx); jne 1f; syscall\n"
        "blocking_end: ret\n1: mov $-4, %rax; ret\n");
extern char blocking_begin[], blocking_end[];

static bool may_take(const struct signals *s)
{
    return signal_entry && !s->handles && __atomic_load_n(&s->pending, __ATOMIC_SEQ_CST);
}

/* A call of Linux that a signal ends. */
static long block(struct signals *s, long n, const uint64_t a[6])
{
    uint64_t rings = RINGS;
    if (may_take(s))
        return -AMALGAM_EINTR;
    __atomic_store_n(&s->ring, 0, __ATOMIC_SEQ_CST);
    LINUX(rt_sigprocmask, SIG_UNBLOCK, &rings, 0, 8, 0, 0);
    long result = blocking(n, a, &s->ring);
    LINUX(rt_sigprocmask, SIG_BLOCK, &rings, 0, 8, 0, 0);
    return result;
}

/* The program goes on at its entry, if there is a signal to take. */
static void signal_take(struct signals *s, ucontext_t *outside)
{
    greg_t *r = outside->uc_mcontext.gregs;
    if (!may_take(s))
        return;
    int signal = __builtin_ctz(s->pending);
    __atomic_fetch_and(&s->pending, ~(1u << signal), __ATOMIC_SEQ_CST);
    s->handles = true;
    struct context *c = (void *)(((uint64_t)r[REG_RSP] - RED_ZONE - sizeof(*c)) & -16ull);
#define SAVE(name, reg) c->name = (uint64_t)r[REG_##reg];
    EACH(SAVE)
    r[REG_RIP] = (greg_t)signal_entry;
    r[REG_RSP] = (greg_t)c;
    r[REG_RDI] = signal;
}

/* The handler of RING and ALARM. */
static void signal_rings(struct signals *s, int number, ucontext_t *at, bool inside)
{
    greg_t *r = at->uc_mcontext.gregs;
    if (number == ALARM)
        __atomic_fetch_or(&s->pending, 1u << ALARM, __ATOMIC_SEQ_CST);
    if (!inside) {
        signal_take(s, at);
        return;
    }
    s->ring = may_take(s);
    if (s->ring && r[REG_RIP] >= (greg_t)blocking_begin && r[REG_RIP] < (greg_t)blocking_end) {
        r[REG_RIP] = (greg_t)blocking_end;
        r[REG_RAX] = -AMALGAM_EINTR;
    }
}

static int64_t signal_return(struct signals *s, uint64_t from, ucontext_t *outside)
{
    greg_t *r = outside->uc_mcontext.gregs;
    if (from > HOLD && from < 4096)
        return -AMALGAM_EFAULT;
    const struct context *c = (const void *)from;
    if (from > HOLD && (c->rip < BASE || c->rip >= END))
        return -AMALGAM_EINVAL;
    s->handles = from == HOLD;
    if (from <= HOLD)
        return 0;
#define LOAD(name, reg) r[REG_##reg] = (greg_t)c->name;
    EACH(LOAD)
    return r[REG_RAX];
}

static int64_t signal_alarm(struct signals *s, int tid, uint64_t ns)
{
    uint64_t before[4], time[4] = { 0, 0, ns / 1000000000ull, ns % 1000000000ull };
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = ALARM };
    if (!signal_entry)
        return -AMALGAM_EAGAIN;
    event._sigev_un._tid = tid;
    if (!s->has_timer)
        LINUX(timer_create, 1, &event, &s->timer, 0, 0, 0);
    s->has_timer = true;
    LINUX(timer_settime, s->timer, 0, time, before, 0, 0);
    return (int64_t)(before[2] * 1000000000ull + before[3]);
}

/* The thread ends. */
static void signals_end(struct signals *s)
{
    if (s->has_timer)
        LINUX(timer_delete, s->timer, 0, 0, 0, 0, 0);
    *s = (struct signals){ 0 };
}

#endif
