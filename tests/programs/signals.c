/* SPDX-License-Identifier: MIT */
/*
 * signals.c - signals and alarms (amalgam/signal.h), each rightly and wrongly. The last line says whether all was
 * right. What else they are for: turns.c.
 *
 * arguments: [signals] checks all; [signals, stack] sends a signal to a thread whose stack nobody can write, which ends
 * the process.
 */
#include <amalgam/signal.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "signals"
#include "../../user/programs/must.h"

#define MS    1000000ull
#define STACK 8192

static unsigned taken[AMALGAM_SIGNALS]; /* when, counted; 0: not */
static unsigned n_taken;
static uint32_t seen;

static uint64_t now(void) { return (uint64_t)amalgam_clock(); }

static struct amalgam_frame *note(int signal, struct amalgam_frame *frame)
{
    taken[signal] = ++n_taken;
    __atomic_store_n(&seen, n_taken, __ATOMIC_RELEASE);
    return frame;
}

static void errors(void)
{
    MUST(amalgam_signal_send(0, 1) == -AMALGAM_EAGAIN && amalgam_alarm(MS) == -AMALGAM_EAGAIN);
    MUST(amalgam_signal_entry(NULL) == -AMALGAM_EINVAL);
    MUST(amalgam_signal(-1, note) == -AMALGAM_EINVAL && amalgam_signal(AMALGAM_SIGNALS, note) == -AMALGAM_EINVAL);
    for (int i = 0; i < AMALGAM_SIGNALS; i++)
        MUST(amalgam_signal(i, note) == 0);
    MUST(amalgam_signal_send(1, 1) == -AMALGAM_ENOENT && amalgam_signal_send(63, 1) == -AMALGAM_ENOENT);
    MUST(amalgam_signal_send(64, 1) == -AMALGAM_ERANGE && amalgam_signal_send(0, AMALGAM_SIGNALS) == -AMALGAM_ERANGE);
    MUST(amalgam_signal_return((void *)8) == -AMALGAM_EFAULT);
    MUST(amalgam_signal_return(memset(malloc(STACK), 0, STACK)) == -AMALGAM_EINVAL);
    MUST(amalgam_signal_return(NULL) == 0 && n_taken == 0);
}

/* While a signal is being handled others wait; then the lowest number comes first, and each one once. */
static struct amalgam_frame *send_more(int signal, struct amalgam_frame *frame)
{
    for (int i = 0; i < 3; i++)
        MUST(amalgam_signal_send(0, 31) == 0 && amalgam_signal_send(0, 2) == 0 && amalgam_signal_send(0, 9) == 0);
    MUST(n_taken == 0);
    return note(signal, frame);
}

static void order(void)
{
    MUST(amalgam_signal(7, send_more) == 0 && amalgam_signal_send(0, 7) == 0);
    MUST(taken[7] == 1 && taken[2] == 2 && taken[9] == 3 && taken[31] == 4 && n_taken == 4);
    MUST(amalgam_signal(7, NULL) == 0 && amalgam_signal_send(0, 7) == 0 && n_taken == 4); /* nobody handles it */
}

static int64_t ended[3];
static uint32_t place; /* number of the thread's next wait, from 1 on */

static void *sleeper(void *unused)
{
    (void)unused;
    static const uint32_t zero;
    __atomic_store_n(&place, 1, __ATOMIC_RELEASE);
    ended[0] = amalgam_wait(&zero, 0, AMALGAM_NEVER);
    __atomic_store_n(&place, 2, __ATOMIC_RELEASE);
    ended[1] = amalgam_sleep_until(AMALGAM_NEVER);
    __atomic_store_n(&place, 3, __ATOMIC_RELEASE);
    ended[2] = amalgam_wait(&zero, 0, now() + 10000 * MS);
    __atomic_store_n(&place, 4, __ATOMIC_RELEASE);
    return NULL;
}

/* Signals end a sleep, also one that begins later than the signal was sent: each is sent until the sleep has ended. */
static void sleeps(void)
{
    pthread_t thread;
    uint32_t at;
    unsigned before = n_taken;
    MUST(!pthread_create(&thread, NULL, sleeper, NULL));
    while (!(at = __atomic_load_n(&place, __ATOMIC_ACQUIRE)))
        amalgam_sleep_until(now() + MS);
    for (; at < 4; at++) {
        amalgam_sleep_until(now() + 5 * MS); /* it sleeps by now; if it does not, the signal comes before the sleep */
        uint32_t count = __atomic_load_n(&seen, __ATOMIC_ACQUIRE);
        MUST(amalgam_signal_send(1, (int)at) == 0);
        while (__atomic_load_n(&seen, __ATOMIC_ACQUIRE) == count)
            amalgam_sleep_until(now() + MS);
        for (unsigned i = 0; __atomic_load_n(&place, __ATOMIC_ACQUIRE) == at; i++) {
            MUST(i < 1000);
            amalgam_sleep_until(now() + MS);
        }
    }
    pthread_join(thread, NULL);
    MUST(ended[0] == -AMALGAM_EINTR && ended[1] == -AMALGAM_EINTR && ended[2] == -AMALGAM_EINTR &&
         n_taken == before + 3);
    MUST(amalgam_signal_send(1, 1) == -AMALGAM_ENOENT);
}

static void alarms(void)
{
    int64_t left;
    unsigned before = n_taken;
    MUST(amalgam_alarm(0) == 0 && amalgam_alarm(~0ull) == 0);
    left = amalgam_alarm(3000 * MS);
    MUST(left > 1000000000 * (int64_t)MS);
    left = amalgam_alarm(0);
    MUST(left > 0 && left <= (int64_t)(3000 * MS) && amalgam_alarm(0) == 0);
    uint64_t start = now();
    MUST(amalgam_alarm(20 * MS) == 0 && amalgam_sleep_until(AMALGAM_NEVER) == -AMALGAM_EINTR);
    MUST(now() - start >= 20 * MS && n_taken == before + 1 && taken[AMALGAM_SIGALRM] == n_taken);
    start = now();
    MUST(amalgam_alarm(5 * MS) == 0); /* while it runs */
    while (__atomic_load_n(&seen, __ATOMIC_ACQUIRE) == before + 1)
        ;
    MUST(now() - start >= 5 * MS && amalgam_sleep_until(now() + 20 * MS) == 0 && n_taken == before + 2);
}

static uint32_t began; /* threads of queued() */

static struct amalgam_frame *leave(int signal, struct amalgam_frame *frame)
{
    (void)signal, (void)frame;
    amalgam_alarm(20 * MS);
    pthread_exit(NULL);
}

/* Ends in a handler, with an alarm that has not rung. */
static void *first(void *unused)
{
    __atomic_add_fetch(&began, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&began, __ATOMIC_ACQUIRE) < 3)
        amalgam_sleep_until(now() + MS);
    amalgam_signal_send((uint32_t)amalgam_thread_self(), 9);
    return unused;
}

static void *second(void *unused)
{
    uint64_t end = now() + 60 * MS;
    amalgam_signal_send((uint32_t)amalgam_thread_self(), 2);
    while (now() < end)
        amalgam_sleep_until(end);
    return unused;
}

/* A thread that has waited for the place of another one has its number, and nothing else of it. */
static void queued(void)
{
    pthread_t thread[3];
    pthread_attr_t attr;
    unsigned before = n_taken;
    pthread_attr_init(&attr);
    pthread_attr_setqueued_np(&attr, 1);
    MUST(amalgam_signal(9, leave) == 0);
    MUST(!pthread_create(&thread[0], &attr, first, NULL) && !pthread_create(&thread[1], &attr, first, NULL));
    MUST(!pthread_create(&thread[2], &attr, second, NULL));
    __atomic_add_fetch(&began, 1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < 3; i++)
        MUST(!pthread_join(thread[i], NULL));
    MUST(n_taken == before + 1 && taken[2] == n_taken);
    MUST(amalgam_signal(9, note) == 0);
}

/* A context in which the program has given itself more than it has. */
static struct amalgam_frame *forge(int signal, struct amalgam_frame *frame)
{
    uintptr_t *word = (uintptr_t *)(void *)frame;
    (void)signal;
#if defined(__x86_64__)
    enum { PC = 17, CS = 18, FLAGS = 19, SS = 21 };
    const uintptr_t kernel[] = { 0xd00000, 0x800000000000, 0xffff800000000000, ~0ul };
#elif defined(__i386__)
    enum { PC = 10, CS = 11, FLAGS = 12 };
    const uintptr_t kernel[] = { 0x100000, 0xe0000000, 0xf0000000, ~0ul };
#elif __riscv_xlen == 64
    enum { PC = 0 };
    const uintptr_t kernel[] = { 0x80200000, 0x4000000000, 0xffffffc000000000, ~0ul };
#else
    enum { PC = 0 };
    const uintptr_t kernel[] = { 0x80200000, 0xc0000000, 0xe0000000, ~0ul };
#endif
    uintptr_t pc = word[PC];
    for (unsigned i = 0; i < sizeof kernel / sizeof *kernel; i++) {
        word[PC] = kernel[i];
        MUST(amalgam_signal_return(frame) == -AMALGAM_EINVAL);
    }
    word[PC] = pc;
#if !defined(__riscv)
    word[CS] = 8;
    word[FLAGS] = (word[FLAGS] & ~0x200ul) | 0x33000; /* IOPL, RF and VM, without IF */
#endif
#if defined(__x86_64__)
    word[SS] = 16;
#endif
    return frame;
}

static void forgery(void)
{
    MUST(amalgam_signal(3, forge) == 0 && amalgam_signal_send(0, 3) == 0);
#if !defined(__riscv)
    uintptr_t flags, cs;
    __asm__ volatile("pushf; pop %0; mov %%cs, %1" : "=r"(flags), "=r"(cs));
    MUST((flags & 0x23200) == 0x200 && (cs & 3) == 3);
#endif
    MUST(amalgam_signal(3, note) == 0);
}

static void spin(void *unused)
{
    (void)unused;
    __atomic_store_n(&place, 1, __ATOMIC_RELEASE);
    for (;;)
        __asm__ volatile("");
}

/* A thread whose stack becomes read-only. */
static void bad_stack(void)
{
    char *stack = (char *)(uintptr_t)amalgam_map(NULL, STACK, AMALGAM_MAP_WRITE);
    MUST(amalgam_signal(1, note) == 0 && amalgam_thread_create(spin, stack + STACK - 64, NULL, NULL) == 1);
    while (!__atomic_load_n(&place, __ATOMIC_ACQUIRE))
        amalgam_sleep_until(now() + MS);
    MUST(amalgam_protect(stack, STACK, AMALGAM_PROTECT_READ) == 0 && amalgam_signal_send(1, 1) == 0);
    amalgam_sleep_until(AMALGAM_NEVER);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "stack"))
        bad_stack();
    errors();
    order();
    sleeps();
    alarms();
    queued();
    forgery();
    puts("signals: right");
    return 0;
}
