/* SPDX-License-Identifier: MIT */
/*
 * poll.c - two threads that poll for each other in the ways in which Nanvix' programs do: a flag under a spin lock, a
 * spin lock that is held, the clock, a fence. Prints the time of each in nanoseconds: `poll WAY TIME`.
 */
#include <nanvix/runtime/fence.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/perf.h>

#include "../../../user/programs/nanvix/check.h"

#define TIMES 4

static spinlock_t lock, held = SPINLOCK_LOCKED;
static int flag;
static struct fence_t both;

static void set_flag(int value)
{
    spinlock_lock(&lock);
    flag = value;
    spinlock_unlock(&lock);
}

static int get_flag(void)
{
    spinlock_lock(&lock);
    int value = flag;
    spinlock_unlock(&lock);
    return value;
}

static void await_flag(int value)
{
    while (get_flag() != value)
        noop();
}

static void *by_flag(void *unused)
{
    for (int i = 0; i < TIMES; i++) {
        await_flag(2 * i + 1);
        set_flag(2 * i + 2);
    }
    return unused;
}

static void flags(void)
{
    for (int i = 0; i < TIMES; i++) {
        set_flag(2 * i + 1);
        await_flag(2 * i + 2);
    }
}

static void *by_lock(void *unused)
{
    set_flag(-1);
    spinlock_lock(&held);
    return unused;
}

static void locks(void)
{
    await_flag(-1);
    spinlock_unlock(&held);
}

static void *by_clock(void *unused)
{
    set_flag(-2);
    return unused;
}

/* The other thread stores a flag; this one reads the clock until it sees the flag. */
static void clocks(void)
{
    uint64_t now;
    while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) != -2)
        MUST(kclock(&now) == 0);
}

static void *by_fence(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        fence(&both);
    return unused;
}

static void fences(void) { by_fence(NULL); }

static void measure(const char *way, void *(*other)(void *), void (*own)(void))
{
    kthread_t tid;
    MUST(perf_start(0, PERF_CYCLES) == 0 && kthread_create(&tid, other, NULL) == 0);
    own();
    MUST(kthread_join(tid, NULL) == 0 && perf_stop(0) == 0);
    uprintf("poll %s %lu", way, (unsigned long)perf_read(0));
}

void ___start(int argc, const char *argv[], char **envp)
{
    UNUSED(argc), UNUSED(argv), UNUSED(envp);
    knoc_init();
    fence_init(&both, 2);
    measure("flag", by_flag, flags);
    measure("lock", by_lock, locks);
    measure("clock", by_clock, clocks);
    measure("fence", by_fence, fences);
    uprintf("poll: done");
}
