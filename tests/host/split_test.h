/* SPDX-License-Identifier: MIT */
/* split_test.h - the area that is shared with Linux, and the thread that handles its rings, on the host. */
#ifndef AMALGAM_TESTS_SPLIT_TEST_H
#define AMALGAM_TESTS_SPLIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <core/split.h>
#include <core/thread.h>
#include <core/wait.h>
#include <errors.h>

struct cpu *host_this_cpu;
bool host_irq_on = true;

static size_t cleared_at_once; /* the most that was with interrupts off */
static void *spied_memset(void *to, int c, size_t n)
{
    if (!host_irq_on && n > cleared_at_once)
        cleared_at_once = n;
    return memset(to, c, n);
}
#define memset spied_memset
#include "../../kernel/attach/split.c"
#undef memset

static _Alignas(4096) u8 area[64 * 4096];
static size_t area_size;
static unsigned kicks, posts, calls, threads;
static void (*body)(void *);
static jmp_buf idle;
ticks_t host_now, pause;
ticks_t time_from_ns(u64 ns) { return ns; }
static struct backend_area *shared(void) { return (void *)area; }
static u64 slept;
static void (*meanwhile)(void); /* what Linux does while the kernel sleeps */
void thread_sleep_ns(u64 ns)
{
    slept += ns;
    if (meanwhile)
        meanwhile();
}
static unsigned lines;
void printk(const char *fmt, ...) { lines++; }

void *hal_split_area(size_t *size)
{
    *size = area_size;
    return area_size ? area : NULL;
}
void hal_split_kick(void) { kicks++; }
void sem_init(struct semaphore *s, u32 count) { posts = count; }
void sem_post(struct semaphore *s) { posts++; }
static struct thread the_thread;
int sem_wait(struct semaphore *s, ticks_t deadline)
{
    if (!posts && the_thread.stop)
        return -ECANCELED;
    if (!posts && deadline != TICKS_NEVER) { /* nobody rings before the time is over */
        pause = deadline - host_now;
        host_now = deadline;
        return -ETIMEDOUT;
    }
    if (!posts)
        longjmp(idle, 1);
    posts--;
    return 0;
}
struct thread *thread_create(const char *name, unsigned cpu, unsigned prio, void (*entry)(void *), void *arg,
                             struct domain *d, bool fpu)
{
    body = entry;
    threads++;
    the_thread.stop = false;
    return &the_thread;
}
void thread_start(struct thread *t) {}
void thread_wake(struct thread *t) {}
void thread_join(struct thread *t)
{
    assert_true(t->stop);
    body(NULL); /* what it was woken for before, then it returns */
    threads--;
}

/* Let the thread do what it has been woken for. */
static inline void run(void)
{
    if (!setjmp(idle))
        body(NULL);
}

static unsigned busy; /* calls that leave something to do */
static bool rung(void *arg)
{
    calls += (unsigned)(uintptr_t)arg;
    return busy && busy--;
}

static int claim(const char *name, u32 size, uintptr_t arg)
{
    struct split_entry e = { BACKEND_BLOCK, BACKEND_READONLY, name, 77, size, rung, (void *)arg };
    void *memory = NULL;
    int n = split_claim(&e, &memory);
    if (n >= 0)
        assert_ptr_equal(memory, area + shared()->entry[n].offset);
    return n;
}

static int setup(void **state)
{
    area_size = sizeof(area);
    memset(area, 0, sizeof(area));
    split_reset();
    memset(&split, 0, sizeof(split)); /* as loaded anew */
    memset(area + 4096, 0xee, sizeof(area) - 4096);
    kicks = posts = calls = lines = 0;
    slept = 0;
    meanwhile = NULL;
    return 0;
}

#endif
