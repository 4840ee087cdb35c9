/* SPDX-License-Identifier: MIT */
/*
 * pthread_queue.c - threads that wait until another one ends, first come first served. The one that ends goes on as the
 * one that has waited longest among those that may run on its core: on that one's stack, with its variables. The kernel
 * knows nothing of it, so a place is never free in between, and who comes later gets none before.
 */
#include "pthread_queue.h"

#include <errno.h>

#include "lock.h"

#define TRIES    1000   /* for threads that began before the first attribute was set: nobody knows their places */
#define PAUSE_NS 10000u /* for a thread that ends just now: some hundred instructions, if it has its core */

static uint32_t queue_lock, waiting;
static struct amalgam_thread *first, **last = &first;
static unsigned places, cores; /* of the process */
/* Under the lock. Bit n: who has place n will look here; who had it has looked, found nobody, and ends. */
static uint64_t held, ending;

/* Returns the places that would do for the thread. */
static uint64_t places_of(const struct amalgam_thread *t)
{
    uint64_t all = 0;
    for (unsigned n = 0; n < places; n++)
        all |= (uint64_t)(!t->cores || t->cores >> n % cores & 1) << n;
    return all;
}

/* Returns whether each of the threads that have the places will look here. Those that began before the first attribute
 * was set will, too; they are counted only. */
static bool all_look(const struct amalgam_thread *t, uint64_t would_do)
{
    return !(would_do & ~held) ||
           (!t->cores && (__atomic_load_n(&threads_alive, __ATOMIC_ACQUIRE) & INT32_MAX) > (int32_t)places);
}

static void append(struct amalgam_thread *t)
{
    if (!waiting++)
        __atomic_add_fetch(&threads_alive, THREADS_WAIT, __ATOMIC_ACQ_REL);
    __atomic_sub_fetch(&threads_alive, 1, __ATOMIC_ACQ_REL);
    t->next = NULL;
    *last = t;
    last = &t->next;
}

/* Start the thread, or append it. A process with one place has nobody who could look. Returns a negative error number;
 * -EBUSY: a place is about to be free. */
static int start_or_append(struct amalgam_thread *t, bool waits)
{
    lock_take(&queue_lock);
    int result = thread_start(t);
    if (result > 0) {
        held |= 1ull << result;
        ending &= ~(1ull << result);
    }
    if (result == -EAGAIN && waits && places > 1 && waiting < PTHREAD_QUEUED_MAX) {
        uint64_t would_do = places_of(t);
        if (all_look(t, would_do)) {
            append(t);
            result = 0;
        } else if (ending & would_do) {
            result = -EBUSY;
        }
    }
    lock_drop(&queue_lock);
    return result;
}

/* A thread that ends has a few instructions left, but its core may be another domain's for a while. */
static int start(struct amalgam_thread *t, bool waits)
{
    unsigned tries = waits ? TRIES : 0;
    int result;
    while ((result = start_or_append(t, waits)) == -EBUSY || (result == -EAGAIN && tries)) {
        tries -= result == -EAGAIN;
        amalgam_sleep_until((uint64_t)amalgam_clock() + PAUSE_NS);
    }
    return result;
}

static struct amalgam_thread *take(void)
{
    unsigned self = (unsigned)amalgam_thread_self();
    lock_take(&queue_lock);
    struct amalgam_thread **at = &first, *t;
    while ((t = *at) && t->cores && !(t->cores >> self % cores & 1))
        at = &t->next;
    if (t) {
        *at = t->next;
        if (!t->next)
            last = at;
        __atomic_add_fetch(&threads_alive, 1, __ATOMIC_ACQ_REL);
        if (!--waiting)
            __atomic_sub_fetch(&threads_alive, THREADS_WAIT, __ATOMIC_ACQ_REL);
    } else {
        held &= ~(1ull << self);
        ending |= 1ull << self;
    }
    lock_drop(&queue_lock);
    return t;
}

/* On the new stack, where the old thread's record is read for the last time. */
static void begin(void *arg)
{
    struct amalgam_thread *t = arg, *old = t->next;
    amalgam_thread_pointer((void *)thread_pointer(t));
    amalgam_thread_cores(UINT32_MAX);
    uint32_t *word = &old->running;
    __atomic_store_n(word, 0, __ATOMIC_RELEASE);
    amalgam_wake(word, UINT32_MAX);
    thread_main(t);
}

static void run(struct amalgam_thread *next, struct amalgam_thread *self)
{
    amalgam_alarm(0);
    amalgam_signal_return(NULL); /* also out of a handler: the signals that have come are taken here, by `self` */
    void *stack = thread_stack(next->result, next);
    next->next = self;
#if defined(__x86_64__)
    __asm__ volatile("mov %0, %%rsp; xor %%ebp, %%ebp; jmp *%1" ::"r"(stack), "a"(begin), "D"(next) : "memory");
#elif defined(__i386__)
    __asm__ volatile("mov %0, %%esp; xor %%ebp, %%ebp; jmp *%1" ::"r"(stack), "a"(begin) : "memory");
#else
    register void *argument __asm__("a0") = next;
    register void (*function)(void *) __asm__("t0") = begin;
    __asm__ volatile("mv sp, %0; li s0, 0; li ra, 0; jr %1" ::"r"(stack), "r"(function), "r"(argument) : "memory");
#endif
    __builtin_unreachable();
}

int pthread_attr_setqueued_np(pthread_attr_t *attr, int queued)
{
    static const struct thread_queue own = { start, take, run };
    if (!thread_queue) {
        places = (unsigned)amalgam_info(AMALGAM_INFO_THREADS);
        cores = (unsigned)amalgam_info(AMALGAM_INFO_CORES);
        held = 1ull << amalgam_thread_self();
        thread_queue = &own;
    }
    attr->queued = queued != 0;
    return 0;
}
