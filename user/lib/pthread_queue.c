/* SPDX-License-Identifier: MIT */
/*
 * pthread_queue.c - threads that wait until another one ends, first come first served. The one that ends goes on as the
 * one that has waited longest: on that one's stack, with its variables. The kernel knows nothing of it, so a place is
 * never free in between, and who comes later gets none before.
 */
#include "pthread_queue.h"

#include <errno.h>

#include "lock.h"

#define TRIES    1000
#define PAUSE_NS 10000u /* for a thread that ends just now: some hundred instructions */

static uint32_t queue_lock, waiting;
static struct amalgam_thread *first, **last = &first;

/* Append the thread, no longer counted, if each of the places is taken by a thread that will look here. A process with
 * one place has nobody who could. Returns 0, EAGAIN, or -1: a place is about to be free. */
static int append(struct amalgam_thread *t, int32_t places)
{
    int result = -1;
    lock_take(&queue_lock);
    int32_t others = (__atomic_load_n(&threads_alive, __ATOMIC_ACQUIRE) & INT32_MAX) - 1;
    if (places < 2 || waiting == PTHREAD_QUEUED_MAX) {
        result = EAGAIN;
    } else if (others >= places) {
        if (!waiting++)
            __atomic_add_fetch(&threads_alive, THREADS_WAIT, __ATOMIC_ACQ_REL);
        __atomic_sub_fetch(&threads_alive, 1, __ATOMIC_ACQ_REL);
        t->next = NULL;
        *last = t;
        last = &t->next;
        result = 0;
    }
    lock_drop(&queue_lock);
    return result;
}

static int put(struct amalgam_thread *t)
{
    int32_t places = (int32_t)amalgam_info(AMALGAM_INFO_THREADS);
    for (int i = 0; i < TRIES; i++) {
        int result = append(t, places);
        if (result >= 0)
            return result;
        amalgam_sleep_until((uint64_t)amalgam_clock() + PAUSE_NS);
        if (!thread_start(t))
            return 0;
    }
    return EAGAIN;
}

static struct amalgam_thread *take(void)
{
    lock_take(&queue_lock);
    struct amalgam_thread *t = first;
    if (t) {
        first = t->next;
        if (!first)
            last = &first;
        __atomic_add_fetch(&threads_alive, 1, __ATOMIC_ACQ_REL);
        if (!--waiting)
            __atomic_sub_fetch(&threads_alive, THREADS_WAIT, __ATOMIC_ACQ_REL);
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
    void *stack = thread_stack(next->memory + next->stack_size, next);
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
    static const struct thread_queue own = { put, take, run };
    thread_queue = &own;
    attr->queued = queued != 0;
    return 0;
}
