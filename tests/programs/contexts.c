/* SPDX-License-Identifier: MIT */
/*
 * contexts.c - contexts (ucontext.h) and stacks for handlers: arguments, floating point, masks, links, threads. The
 * last line says whether all was right. It takes 2 threads.
 */
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define PROGRAM "contexts"
#include "../../user/programs/must.h"

#define STACK 16384
#define TURNS 1000

static ucontext_t back, other, third;
static char stack[STACK], more[STACK], alternate[SIGSTKSZ];

static void prepare(ucontext_t *context, char *on, ucontext_t *link)
{
    MUST(getcontext(context) == 0);
    context->uc_stack.ss_sp = on;
    context->uc_stack.ss_size = STACK;
    context->uc_link = link;
}

static __attribute__((noinline)) bool is_on(const char *on)
{
    volatile char here = 0;
    return (uintptr_t)&here - (uintptr_t)on < STACK;
}

static int seen[10];

static void ten(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j)
{
    const int all[10] = { a, b, c, d, e, f, g, h, i, j };
    memcpy(seen, all, sizeof all);
    MUST(is_on(stack));
}

static void takes_pointer(void *at) { *(int *)at = 77; }

/* A function returns to the context that is its link. */
static void arguments(void)
{
    int value = 0;
    prepare(&other, stack, &back);
    makecontext(&other, (void (*)(void))ten, 10, 1, -2, 3, -4, 5, -6, 7, -8, 9, -10);
    MUST(swapcontext(&back, &other) == 0);
    for (int i = 0; i < 10; i++)
        MUST(seen[i] == (i % 2 ? -1 - i : i + 1));
    prepare(&other, stack, &back);
    makecontext(&other, (void (*)(void))takes_pointer, 1, &value);
    MUST(swapcontext(&back, &other) == 0 && value == 77);
}

/* getcontext() returns again, with the registers that it had. */
static void again(void)
{
    volatile int n = 0;
    MUST(getcontext(&third) == 0);
    if (n++ < 3)
        setcontext(&third);
    MUST(n == 4);
}

static double sum[2];

/* Adds up thirds by a rounding of its own, a step a turn. */
static void adds(int which, int rounding)
{
    double x = 0, y = 1;
    fesetround(rounding);
    for (int i = 0; i < TURNS; i++) {
        x += y / 3;
        y += 0.5;
        MUST(fegetround() == rounding);
        swapcontext(which ? &third : &other, which ? &other : &third);
    }
    sum[which] = x;
    if (which)
        setcontext(&back);
    for (;;)
        swapcontext(&other, &third);
}

static void floats(void)
{
    int before = fegetround();
    prepare(&other, stack, &back);
    makecontext(&other, (void (*)(void))adds, 2, 0, FE_DOWNWARD);
    prepare(&third, more, &back);
    makecontext(&third, (void (*)(void))adds, 2, 1, FE_UPWARD);
    MUST(swapcontext(&back, &other) == 0 && fegetround() == before);
    MUST(sum[0] < sum[1] && sum[1] - sum[0] < 1e-6 && sum[0] > TURNS * 80.0);
}

static bool is_blocked(void)
{
    sigset_t mask;
    return pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0 && sigismember(&mask, SIGUSR1);
}

static void blocks(void)
{
    sigset_t set;
    MUST(!is_blocked());
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    swapcontext(&other, &back);
    MUST(is_blocked());
}

static void masks(void)
{
    prepare(&other, stack, &back);
    makecontext(&other, blocks, 0);
    for (int i = 0; i < 2; i++)
        MUST(swapcontext(&back, &other) == 0 && !is_blocked());
}

static pthread_t runs_on;

static void where(void) { runs_on = pthread_self(); }

/* The thread ends when its last context returns. */
static void *thread(void *unused)
{
    prepare(&other, stack, NULL);
    makecontext(&other, where, 0);
    setcontext(&other);
    return unused;
}

static void threads(void)
{
    pthread_t t;
    MUST(!pthread_create(&t, NULL, thread, NULL) && !pthread_join(t, NULL) && pthread_equal(runs_on, t));
}

static volatile int nested;

static void handle(int signal)
{
    stack_t now;
    MUST(is_on(alternate) && !sigaltstack(NULL, &now) && now.ss_flags == SS_ONSTACK);
    MUST(sigaltstack(&now, NULL) == -1 && errno == EPERM);
    if (nested++ == 0)
        raise(signal); /* on the same stack, below */
}

static void handlers(void)
{
    stack_t set = { .ss_sp = alternate, .ss_size = sizeof alternate }, before;
    struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK | SA_NODEFER };
    MUST(sigaltstack(NULL, &before) == 0 && before.ss_flags == SS_DISABLE && sigaltstack(&set, NULL) == 0);
    MUST(sigaction(SIGUSR1, &action, NULL) == 0 && raise(SIGUSR1) == 0 && nested == 2);
    MUST(sigaction(SIGALRM, &action, NULL) == 0 && alarm(1) == 0 && pause() == -1 && nested == 3);
    set.ss_size = MINSIGSTKSZ - 1;
    MUST(sigaltstack(&set, NULL) == -1 && errno == ENOMEM);
    set.ss_flags = 64;
    MUST(sigaltstack(&set, NULL) == -1 && errno == EINVAL);
}

int main(void)
{
    arguments();
    again();
    floats();
    masks();
    threads();
    handlers();
    puts(PROGRAM ": right");
    return 0;
}
