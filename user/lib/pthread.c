/* SPDX-License-Identifier: MIT */
/*
 * pthread.c - threads. Each has one block of pages: the stack, then the variables and the record. The page below the
 * block is unmapped, because amalgam_map() leaves one there; so a stack overflow faults.
 *
 * A thread's block can be freed when its stack is no longer in use; the kernel then sets `running` to 0. pthread_join()
 * waits for that. A detached thread puts itself on a list before it ends, and the next pthread_create() frees the
 * blocks of those on the list that have ended. Some blocks of the default size are kept for the next thread, as long as
 * the memory is not wanted elsewhere.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cancel.h"
#include "lock.h"
#include "memory.h"
#include "pthread_queue.h"
#include "thread.h"

#define SPARE 32u /* how many blocks are kept: as many as a process may have cores */

int32_t threads_alive =
    1; /* threads that have not reached pthread_exit(); negative: THREADS_WAIT, too (pthread_queue.h) */
const struct thread_queue *thread_queue;
void (*thread_leave)(void);
__attribute__((weak)) const struct signal_hooks *const signal_hooks;
static uint32_t ended_lock;
static struct amalgam_thread *ended; /* detached threads that have exited */
static uint32_t spare_lock, spares;
static char *spare[SPARE];

pthread_t pthread_self(void) { return thread_self(); }
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }
int sched_yield(void) { return (int)amalgam_yield(); }

static inline __attribute__((always_inline)) bool is_gone(const struct amalgam_thread *t)
{
    return !__atomic_load_n(&t->running, __ATOMIC_ACQUIRE);
}

static size_t block_size(size_t stack_size) { return (stack_size + tls_size() + PAGE - 1) & -(size_t)PAGE; }

/* Allocate the block of a thread with that stack. Returns NULL if there is no memory. */
static char *block_alloc(size_t stack_size)
{
    char *block = NULL;
    if (stack_size >= SIZE_MAX / 2)
        return NULL;
    if (stack_size == AMALGAM_STACK_DEFAULT) {
        lock_take(&spare_lock);
        if (spares)
            block = spare[--spares];
        lock_drop(&spare_lock);
    }
    if (block)
        return block;
    int64_t at = memory_map(NULL, block_size(stack_size), AMALGAM_MAP_WRITE);
    return at < 0 ? NULL : (char *)(uintptr_t)at;
}

static void block_free(const struct amalgam_thread *t)
{
    char *block = t->memory;
    if (t->stack_size == AMALGAM_STACK_DEFAULT) {
        lock_take(&spare_lock);
        if (spares < SPARE) {
            spare[spares++] = block;
            block = NULL;
        }
        lock_drop(&spare_lock);
    }
    if (block)
        amalgam_unmap(block, block_size(t->stack_size));
}

static void free_ended(void)
{
    struct amalgam_thread *gone = NULL;
    lock_take(&ended_lock);
    for (struct amalgam_thread **at = &ended, *t = *at; t; t = *at) {
        if (is_gone(t)) {
            *at = t->next;
            t->next = gone;
            gone = t;
        } else {
            at = &t->next;
        }
    }
    lock_drop(&ended_lock);
    while (gone) {
        struct amalgam_thread *next = gone->next;
        block_free(gone);
        gone = next;
    }
}

/* memory.h. Neither lock is held where memory is wanted. */
static bool give_back(void)
{
    char *kept[SPARE];
    free_ended();
    lock_take(&spare_lock);
    uint32_t n = spares;
    memcpy(kept, spare, n * sizeof(kept[0]));
    spares = 0;
    lock_drop(&spare_lock);
    for (uint32_t i = 0; i < n; i++)
        amalgam_unmap(kept[i], block_size(AMALGAM_STACK_DEFAULT));
    return n;
}

void thread_main(void *arg)
{
    struct amalgam_thread *self = arg;
    floats_set(&self->floats);
    if (__builtin_expect(signal_hooks != NULL, 0))
        signal_hooks->begin(self);
    pthread_exit(self->start(self->arg));
}

int thread_start(struct amalgam_thread *t)
{
    uint32_t cores = t->cores; /* a thread that was made may have ended, and its record may be gone */
    if (cores && amalgam_thread_cores(cores))
        return -EINVAL;
    int64_t number = amalgam_thread_create(thread_main, thread_stack(t->result, t), t, (void *)thread_pointer(t));
    if (cores)
        amalgam_thread_cores(UINT32_MAX);
    return number > 0 ? (int)number : -EAGAIN;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    void *given = attr ? attr->stack : NULL;
    size_t stack_size = given ? 0 : attr ? attr->stack_size : AMALGAM_STACK_DEFAULT;
    free_ended();
    memory_give_back = give_back;
    char *memory = block_alloc(stack_size);
    if (!memory)
        return EAGAIN;
    struct amalgam_thread *t = tls_make(memory + stack_size);
    t->start = start;
    t->arg = arg;
    t->result = given ? (char *)given + attr->stack_size : memory + stack_size;
    t->memory = memory;
    t->stack_size = stack_size;
    t->fate = attr && attr->detached ? THREAD_DETACHED : THREAD_JOINABLE;
    t->cores = attr ? attr->cores : 0;
    floats_get(&t->floats);
    if (__builtin_expect(signal_hooks != NULL, 0))
        signal_hooks->prepare(t);
    *thread = t;
    __atomic_add_fetch(&threads_alive, 1, __ATOMIC_RELAXED);
    int number = thread_queue ? thread_queue->start(t, attr && attr->queued) : thread_start(t);
    if (number < 0) {
        __atomic_sub_fetch(&threads_alive, 1, __ATOMIC_RELAXED);
        block_free(t);
    }
    return number < 0 ? -number : 0;
}

_Noreturn void pthread_exit(void *result)
{
    struct amalgam_thread *self = thread_self();
    self->result = result;
    void (*leave)(void) = __atomic_load_n(&thread_leave, __ATOMIC_ACQUIRE);
    if (__builtin_expect(leave != NULL, 0))
        leave();
    console_leave();
    struct amalgam_thread *next = NULL;
    int32_t left = __atomic_sub_fetch(&threads_alive, 1, __ATOMIC_ACQ_REL);
    if (__builtin_expect(left == 0, 0))
        exit(0); /* the last thread ends the process, as if main() had returned 0 */
    if (__builtin_expect(signal_hooks != NULL, 0))
        signal_hooks->end(self);
    if (__builtin_expect(thread_queue != NULL, 0))
        next = thread_queue->take();
    if (__atomic_fetch_add(&self->fate, THREAD_EXITED, __ATOMIC_ACQ_REL) == THREAD_DETACHED && self->memory) {
        lock_take(&ended_lock);
        self->next = ended;
        ended = self;
        lock_drop(&ended_lock);
    }
    if (__builtin_expect(next != NULL, 0))
        thread_queue->run(next, self);
    amalgam_thread_exit(&self->running);
}

/* Decide who frees the thread's memory: `how`. Returns the fate before it, or -1 if that was decided already. */
static int claim(struct amalgam_thread *t, uint32_t how)
{
    uint32_t fate = __atomic_load_n(&t->fate, __ATOMIC_ACQUIRE);
    do
        if (fate & (THREAD_DETACHED | THREAD_JOINED))
            return -1;
    while (!__atomic_compare_exchange_n(&t->fate, &fate, fate | how, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return (int)fate;
}

/* Returns why a thread cannot be claimed: it has ended, or it is detached or being joined. */
static int why_not(const struct amalgam_thread *t) { return is_gone(t) ? ESRCH : EINVAL; }

/* The end of a thread that the caller has claimed. */
static void join(struct amalgam_thread *t, void **result)
{
    while (!is_gone(t))
        amalgam_wait(&t->running, 1, AMALGAM_NEVER);
    if (result)
        *result = t->result;
    if (t->memory)
        block_free(t);
}

/* Where threads are cancelled: wait for the end of one that the caller has claimed. If the caller is cancelled another
 * thread may join it. */
__attribute__((noinline, cold)) static void await_or_end(struct amalgam_thread *t)
{
    while (!is_gone(t))
        if (cancel_wait(&t->running, 1, AMALGAM_NEVER) == -ECANCELED) {
            __atomic_and_fetch(&t->fate, ~(uint32_t)THREAD_JOINED, __ATOMIC_ACQ_REL);
            cancel_test();
        }
}

int pthread_join(pthread_t t, void **result)
{
    if (t == thread_self())
        return EDEADLK;
    cancel_test();
    if (claim(t, THREAD_JOINED) < 0)
        return why_not(t);
    if (__builtin_expect(cancel_hooks != NULL, 0))
        await_or_end(t);
    join(t, result);
    return 0;
}

/* One that has exited before it was detached is joined: it is not on the list of detached threads. */
int pthread_detach(pthread_t t)
{
    int fate = claim(t, THREAD_DETACHED);
    if (fate > 0)
        join(t, NULL);
    return fate < 0 ? why_not(t) : 0;
}
