/* SPDX-License-Identifier: MIT */
/*
 * thread.c - threads by Nanvix' rules.
 *
 * There is a slot for each possible thread, with a stack that is kept for the next thread in it, as long as the memory
 * is not wanted elsewhere. The page below a stack is unmapped, because amalgam_map() leaves one there. The slot's word
 * `tid` is the number of its thread. The kernel sets it to 0 when the thread's stack is no longer in use, and wakes the
 * threads that join. No number is used twice, so a joiner that reads another number, or 0, knows that its thread has
 * ended.
 */
#include <limits.h>
#include <nanvix/sys/thread.h>
#include <stdlib.h>

#include "../../lib/lock.h"
#include "../../lib/memory.h"
#include "../../lib/thread.h"
#include "nanvix.h"

#define STACK 8192u

struct slot {
    uint32_t tid;    /* 0: free */
    uint32_t asleep; /* in ksleep() */
    char *block;     /* stack, variables and record of its threads; NULL: not allocated yet, or the leader's slot */
    void *(*start)(void *);
    void *arg;
    struct floats floats; /* its creator's */
};

static struct slot slots[THREAD_MAX] = { { .tid = KTHREAD_LEADER_TID } };
static struct {
    int tid;
    void *value;
} ended[KTHREAD_EXIT_VALUE_NUM]; /* index: tid modulo KTHREAD_EXIT_VALUE_NUM */
static uint32_t lock;            /* guards `next_tid`, `ended` and the allocation of slots */
static int next_tid = KTHREAD_LEADER_TID + 1;
static struct {
    int tid;
    unsigned slot;
} began[KTHREAD_EXIT_VALUE_NUM]; /* by the same index: where the thread began. A writer stores the number first */
static unsigned hint;            /* the slot behind the last one that was given out */
static _Thread_local struct slot *self = &slots[0];

static uint32_t tid_of(const struct slot *s) { return __atomic_load_n(&s->tid, __ATOMIC_ACQUIRE); }

/* Returns the slot of the thread `tid`, or a free one if `tid` is 0; NULL: there is none. */
static struct slot *find(int tid)
{
    for (struct slot *s = slots; s < slots + THREAD_MAX; s++)
        if (tid_of(s) == (uint32_t)tid)
            return s;
    return NULL;
}

/* The slot of a thread that has begun; NULL if it is seen to have ended. */
static struct slot *of_thread(int tid)
{
    unsigned i = (unsigned)tid % KTHREAD_EXIT_VALUE_NUM;
    struct slot *s = &slots[__atomic_load_n(&began[i].slot, __ATOMIC_ACQUIRE)];
    bool known = __atomic_load_n(&began[i].tid, __ATOMIC_RELAXED) == tid; /* no later thread has the place yet */
    return known ? s : find(tid);
}

static void note_begin(int tid, unsigned slot)
{
    unsigned i = (unsigned)tid % KTHREAD_EXIT_VALUE_NUM;
    __atomic_store_n(&began[i].tid, tid, __ATOMIC_RELAXED);
    __atomic_store_n(&began[i].slot, slot, __ATOMIC_RELEASE);
}

/* A slot for a new thread, if possible one that has a stack already; NULL: there is none. */
static struct slot *free_slot(void)
{
    struct slot *s = &slots[hint];
    if (!s->block || tid_of(s))
        s = find(0);
    if (s)
        hint = (unsigned)(s - slots + 1) % THREAD_MAX;
    return s;
}

bool nanvix_thread_lives(int tid) { return tid > 0 && find(tid); }

kthread_t kthread_self(void) { return (kthread_t)__atomic_load_n(&self->tid, __ATOMIC_RELAXED); }

int core_get_id(void) { return (int)(self - slots) + 1; }

static void begin(void *arg)
{
    self = arg;
    floats_set(&self->floats);
    nanvix_thread_set_number(kthread_self());
    kthread_exit(self->start(self->arg));
}

static size_t block_size(void) { return (STACK + tls_size() + PAGE - 1) & -(size_t)PAGE; }

/* Unmap the stacks that are kept in free slots. Returns whether there was one. The lock is held. */
static bool unmap_kept(void)
{
    bool any = false;
    for (struct slot *s = slots; s < slots + THREAD_MAX; s++)
        if (s->block && !tid_of(s)) {
            amalgam_unmap(s->block, block_size());
            s->block = NULL;
            any = true;
        }
    return any;
}

/* memory.h. Who gets a block for a thread has the lock, and does this itself. */
static bool give_back(void)
{
    bool any = false;
    if (lock_try(&lock)) {
        any = unmap_kept();
        lock_drop(&lock);
    }
    return any;
}

/* The lock is held. Returns NULL if there is no memory. */
static char *block_alloc(void)
{
    int64_t at = amalgam_map(NULL, block_size(), AMALGAM_MAP_WRITE);
    if (at == -AMALGAM_ENOMEM && unmap_kept())
        at = amalgam_map(NULL, block_size(), AMALGAM_MAP_WRITE);
    memory_give_back = give_back;
    return at < 0 ? NULL : (char *)(uintptr_t)at;
}

/* Start a thread in a slot that has its number and its block. Returns 0, or -EAGAIN with the slot free again. */
static int start_in(struct slot *s)
{
    struct amalgam_thread *t = tls_make(s->block + STACK);
    if (amalgam_thread_create(begin, thread_stack(s->block + STACK, s), s, (void *)thread_pointer(t)) > 0)
        return 0;
    __atomic_store_n(&s->tid, 0, __ATOMIC_RELEASE);
    amalgam_wake(&s->tid, THREAD_MAX); /* who has read the number may join */
    return -EAGAIN;
}

/* Take a free slot for a thread, which has its number and its block then. Returns NULL if there is none, or no memory.
 */
static struct slot *take_slot(int *tid)
{
    lock_take(&lock);
    struct slot *s = next_tid < INT_MAX ? free_slot() : NULL;
    if (s && !s->block && !(s->block = block_alloc()))
        s = NULL;
    if (s) {
        int number = next_tid;
        s->asleep = 0;
        note_begin(number, (unsigned)(s - slots));
        *tid = number;
        __atomic_store_n(&next_tid, number + 1, __ATOMIC_RELAXED);
        __atomic_store_n(&s->tid, (uint32_t)number, __ATOMIC_RELEASE);
    }
    lock_drop(&lock);
    return s;
}

/* The kernel's call is made without the lock: it may be the master's, and each thread that ends meanwhile wants the
 * lock, so it would sleep, and the lock's end would be a second call. */
int nanvix_thread_create(int *tid, void *(*start)(void *), void *arg)
{
    if (!tid || !start)
        return -EINVAL;
    struct slot *s = take_slot(tid);
    if (!s)
        return -EAGAIN;
    s->start = start;
    s->arg = arg;
    floats_get(&s->floats);
    return start_in(s);
}

int kthread_exit(void *value)
{
    int tid = kthread_self();
    lock_take(&lock);
    ended[tid % KTHREAD_EXIT_VALUE_NUM].tid = tid;
    ended[tid % KTHREAD_EXIT_VALUE_NUM].value = value;
    lock_drop(&lock);
    console_leave();
    nanvix_thread_set_number(0);
    amalgam_thread_exit(&self->tid);
}

/* Without the lock: a thread has its number after next_tid has a later one. */
static bool was_created(int tid) { return tid < __atomic_load_n(&next_tid, __ATOMIC_RELAXED); }

int nanvix_thread_join(int tid, void **value)
{
    if (tid < KTHREAD_LEADER_TID || tid == kthread_self() || !was_created(tid))
        return -EINVAL;
    struct slot *s = of_thread(tid);
    while (s && tid_of(s) == (uint32_t)tid)
        amalgam_wait(&s->tid, (uint32_t)tid, AMALGAM_NEVER);
    if (!value)
        return 0;
    lock_take(&lock);
    if (ended[tid % KTHREAD_EXIT_VALUE_NUM].tid == tid)
        *value = ended[tid % KTHREAD_EXIT_VALUE_NUM].value;
    lock_drop(&lock);
    return 0;
}

int nanvix_thread_yield(void)
{
    static _Thread_local unsigned polls;
    nanvix_polled(&polls);
    return (int)nanvix_result(amalgam_yield());
}

int nanvix_thread_sleep(void)
{
    __atomic_store_n(&self->asleep, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&self->asleep, __ATOMIC_ACQUIRE))
        amalgam_wait(&self->asleep, 1, AMALGAM_NEVER);
    return 0;
}

int nanvix_thread_wakeup(int tid)
{
    uint32_t asleep = 1;
    if (tid < 0)
        return -EINVAL;
    struct slot *s = tid ? find(tid) : NULL;
    if (!s || !__atomic_compare_exchange_n(&s->asleep, &asleep, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return -EAGAIN;
    amalgam_wake(&s->asleep, 1);
    return 0;
}

int kthread_create(kthread_t *tid, void *(*start)(void *), void *arg)
{
    return nanvix_answer(nanvix_thread_create(tid, start, arg));
}

int kthread_join(kthread_t tid, void **value) { return nanvix_answer(nanvix_thread_join(tid, value)); }
int kthread_yield(void) { return nanvix_answer(nanvix_thread_yield()); }
int ksleep(void) { return nanvix_answer(nanvix_thread_sleep()); }
int kwakeup(kthread_t tid) { return nanvix_answer(nanvix_thread_wakeup(tid)); }
void _kexit(int status) { exit(status); }
int kshutdown(void) { exit(0); }
