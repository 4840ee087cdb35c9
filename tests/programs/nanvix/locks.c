/* SPDX-License-Identifier: MIT */
/* locks.c - checks mutexes, semaphores, condition variables and fences of libnanvix, with right and wrong arguments. */
#include <nanvix/runtime/fence.h>
#include <nanvix/sys/condvar.h>
#include <nanvix/sys/fmutex.h>
#include <nanvix/sys/mutex.h>
#include <nanvix/sys/semaphore.h>

#include "../../../user/programs/nanvix/check.h"

#define THREADS 4
#define ROUNDS  200
#define SIGNALS 2 /* how many before the broadcast */

static struct nanvix_mutex mutex;
static struct nanvix_fmutex fast;
static struct nanvix_semaphore empty, full, one;
static struct nanvix_cond_var cond;
static struct fence_t round_fence;
static unsigned long counter, slot, sum, reached[THREADS], order, next, wrong;

static void run(int n, void *(*task)(void *))
{
    kthread_t tid[THREADS];
    for (int i = 0; i < n; i++)
        MUST(kthread_create(&tid[i], task, (void *)(long)i) == 0);
    for (int i = 0; i < n; i++)
        MUST(kthread_join(tid[i], NULL) == 0);
}

/* Increment a count in a way that loses increments without a lock. */
static void count(void)
{
    unsigned long old = counter;
    kthread_yield();
    counter = old + 1;
}

static void *count_locked(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        MUST(nanvix_mutex_lock(&mutex) == 0 && mutex.owner == kthread_self() && mutex.locked);
        count();
        MUST(nanvix_mutex_unlock(&mutex) == 0);
    }
    return unused;
}

static void *count_fast(void *unused)
{
    for (int i = 0; i < ROUNDS / 10; i++) {
        MUST(nanvix_fmutex_lock(&fast) == 0);
        count();
        MUST(nanvix_fmutex_unlock(&fast) == 0);
    }
    return unused;
}

static void *try_it(void *unused)
{
    MUST(nanvix_mutex_trylock(&mutex) == -EBUSY);
    MUST(nanvix_mutex_unlock(&mutex) ==
         (mutex.type == NANVIX_MUTEX_NORMAL || mutex.type == NANVIX_MUTEX_DEFAULT ? 0 : -EPERM));
    return unused;
}

static void init_mutex(int type)
{
    struct nanvix_mutexattr attr;
    MUST(nanvix_mutexattr_init(&attr) == 0 && nanvix_mutexattr_gettype(&attr) == NANVIX_MUTEX_DEFAULT);
    MUST(nanvix_mutexattr_settype(&attr, type) == 0 && nanvix_mutexattr_gettype(&attr) == type);
    MUST(nanvix_mutex_init(&mutex, &attr) == 0 && nanvix_mutexattr_destroy(&attr) == 0);
}

static void mutexes(void)
{
    for (int type = 0; type < NANVIX_MUTEX_LIMIT; type++) {
        bool asks = type == NANVIX_MUTEX_ERRORCHECK || type == NANVIX_MUTEX_RECURSIVE;
        init_mutex(type);
        MUST(nanvix_mutex_unlock(&mutex) == (asks ? -EPERM : 0));
        MUST(nanvix_mutex_lock(&mutex) == 0 && nanvix_mutex_destroy(&mutex) == -EBUSY);
        run(1, try_it);
        MUST(nanvix_mutex_unlock(&mutex) == 0);
        counter = 0;
        run(THREADS, count_locked);
        MUST(counter == THREADS * ROUNDS && nanvix_mutex_destroy(&mutex) == 0);
    }
    init_mutex(NANVIX_MUTEX_ERRORCHECK);
    MUST(nanvix_mutex_lock(&mutex) == 0 && nanvix_mutex_lock(&mutex) == -EDEADLK &&
         nanvix_mutex_trylock(&mutex) == -EBUSY);
    init_mutex(NANVIX_MUTEX_RECURSIVE);
    for (int i = 0; i < 3; i++)
        MUST(nanvix_mutex_lock(&mutex) == 0 && nanvix_mutex_trylock(&mutex) == 0);
    for (int i = 0; i < 6; i++)
        MUST(nanvix_mutex_unlock(&mutex) == 0);
    MUST(nanvix_mutex_unlock(&mutex) == -EPERM && !mutex.locked);
}

/* All zeros: it is free, or refused. */
static void unmade_mutex(void)
{
    static struct nanvix_mutex zero;
    int err = nanvix_mutex_lock(&zero);
    MUST(err == 0 || err == -EINVAL);
    MUST(nanvix_mutex_trylock(&zero) == (err ? err : -EBUSY) && nanvix_mutex_unlock(&zero) == err);
    MUST(nanvix_mutex_trylock(&zero) == err);
}

static void wrong_mutexes(void)
{
    struct nanvix_mutexattr attr = { NANVIX_MUTEX_LIMIT };
    MUST(nanvix_mutex_init(&mutex, &attr) == -EINVAL && nanvix_mutex_init(NULL, NULL) == -EINVAL);
    MUST(nanvix_mutex_lock(NULL) == -EINVAL && nanvix_mutex_trylock(NULL) == -EINVAL);
    MUST(nanvix_mutex_unlock(NULL) == -EINVAL && nanvix_mutex_destroy(NULL) == -EINVAL);
    MUST(nanvix_mutexattr_init(NULL) == -EINVAL && nanvix_mutexattr_destroy(NULL) == -EINVAL);
    MUST(nanvix_mutexattr_settype(NULL, 0) == -EINVAL && nanvix_mutexattr_gettype(NULL) == -EINVAL);
    MUST(nanvix_mutexattr_settype(&attr, -1) == -EINVAL &&
         nanvix_mutexattr_settype(&attr, NANVIX_MUTEX_LIMIT) == -EINVAL);
    MUST(nanvix_fmutex_init(NULL) == -EINVAL && nanvix_fmutex_lock(NULL) == -EINVAL &&
         nanvix_fmutex_unlock(NULL) == -EINVAL);
    MUST(nanvix_fmutex_init(&fast) == 0);
    counter = 0;
    run(THREADS, count_fast);
    MUST(counter == THREADS * (ROUNDS / 10));
}

static void *produce_or_consume(void *role)
{
    for (unsigned long i = 1; i <= ROUNDS; i++) {
        MUST(nanvix_semaphore_down(role ? &full : &empty) == 0);
        if (role) {
            sum += slot;
            slot = 0;
        } else {
            MUST(!slot);
            slot = i;
        }
        MUST(nanvix_semaphore_up(role ? &empty : &full) == 0);
    }
    return NULL;
}

static void *count_down(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        MUST(nanvix_semaphore_down(&one) == 0);
        count();
        MUST(nanvix_semaphore_up(&one) == 0);
    }
    return unused;
}

/* Giving is one access, to the value: what lies behind it may be nobody's, because a thread that took has freed it. */
static void up_at_the_end_of_a_page(void)
{
    char *pages = (char *)(intptr_t)amalgam_map(NULL, 2 * PAGE_SIZE, AMALGAM_MAP_WRITE);
    struct nanvix_semaphore *s = (struct nanvix_semaphore *)(void *)(pages + PAGE_SIZE - sizeof(s->val));
    MUST(nanvix_semaphore_init(s, 0) == 0);
    MUST(amalgam_unmap(pages + PAGE_SIZE, PAGE_SIZE) == 0);
    MUST(nanvix_semaphore_up(s) == 0 && nanvix_semaphore_trywait(s) == 0);
    MUST(amalgam_unmap(pages, PAGE_SIZE) == 0);
}

static void semaphores(void)
{
    MUST(nanvix_semaphore_init(&empty, 1) == 0 && nanvix_semaphore_init(&full, 0) == 0 &&
         nanvix_semaphore_init(&one, 1) == 0);
    MUST(nanvix_semaphore_trywait(&full) == -EINVAL && nanvix_semaphore_trywait(&one) == 0);
    MUST(nanvix_semaphore_trywait(&one) == -EINVAL && nanvix_semaphore_up(&one) == 0);
    run(2, produce_or_consume);
    MUST(sum == ROUNDS * (ROUNDS + 1) / 2);
    counter = 0;
    run(THREADS, count_down);
    MUST(counter == THREADS * ROUNDS);
    MUST(nanvix_semaphore_destroy(&empty) == 0 && nanvix_semaphore_destroy(&full) == 0);
    MUST(nanvix_semaphore_init(NULL, 0) == -EINVAL && nanvix_semaphore_init(&one, -1) == -EINVAL);
    MUST(nanvix_semaphore_down(NULL) == -EINVAL && nanvix_semaphore_up(NULL) == -EINVAL);
    MUST(nanvix_semaphore_trywait(NULL) == -EINVAL && nanvix_semaphore_destroy(NULL) == -EINVAL);
    MUST(nanvix_semaphore_init(&one, NANVIX_SEMAPHORE_MAX) == 0 && nanvix_semaphore_up(&one) == -EOVERFLOW);
    MUST(nanvix_semaphore_init(&one, NANVIX_SEMAPHORE_MAX + 1) == -EINVAL);
    up_at_the_end_of_a_page();
}

/* The threads wait in a known order. A signal must wake the first one; those that a broadcast wakes race for the mutex.
 */
static void *wait_in_order(void *number)
{
    while (__atomic_load_n(&order, __ATOMIC_ACQUIRE) != (unsigned long)number)
        kthread_yield();
    MUST(nanvix_mutex_lock(&mutex) == 0);
    __atomic_store_n(&order, (unsigned long)number + 1, __ATOMIC_RELEASE);
    MUST(nanvix_cond_wait(&cond, &mutex) == 0 && mutex.owner == kthread_self());
    wrong += next != (unsigned long)number && next < SIGNALS;
    next++;
    MUST(nanvix_mutex_unlock(&mutex) == 0);
    return NULL;
}

static unsigned long left(void)
{
    MUST(nanvix_mutex_lock(&mutex) == 0);
    unsigned long n = next;
    MUST(nanvix_mutex_unlock(&mutex) == 0);
    return n;
}

static void conditions(void)
{
    kthread_t tid[THREADS];
    init_mutex(NANVIX_MUTEX_ERRORCHECK);
    MUST(nanvix_cond_init(&cond) == 0 && nanvix_cond_signal(&cond) == 0 && nanvix_cond_broadcast(&cond) == 0);
    spinlock_lock(&cond.lock); /* who must not wait does not enter the list, either */
    MUST(nanvix_cond_wait(&cond, &mutex) == -EPERM && nanvix_cond_destroy(&cond) == 0); /* it has not waited */
    spinlock_unlock(&cond.lock);
    for (long i = 0; i < THREADS; i++)
        MUST(kthread_create(&tid[i], wait_in_order, (void *)i) == 0);
    while (__atomic_load_n(&order, __ATOMIC_ACQUIRE) != THREADS)
        kthread_yield();
    MUST(nanvix_mutex_lock(&mutex) == 0 && nanvix_cond_destroy(&cond) == -EBUSY && nanvix_mutex_unlock(&mutex) == 0);
    for (unsigned long n = 1; n <= SIGNALS; n++) {
        MUST(nanvix_cond_signal(&cond) == 0);
        while (left() < n)
            kthread_yield();
    }
    for (int i = 0; i < 20; i++) /* no other thread may be woken */
        MUST(left() == SIGNALS && kthread_yield() == 0);
    MUST(nanvix_cond_broadcast(&cond) == 0);
    for (int i = 0; i < THREADS; i++)
        MUST(kthread_join(tid[i], NULL) == 0);
    MUST(next == THREADS && nanvix_cond_destroy(&cond) == 0);
    MUST(nanvix_cond_init(NULL) == -EINVAL && nanvix_cond_destroy(NULL) == -EINVAL &&
         nanvix_cond_signal(NULL) == -EINVAL);
    MUST(nanvix_cond_broadcast(NULL) == -EINVAL && nanvix_cond_wait(NULL, &mutex) == -EINVAL);
    MUST(nanvix_cond_wait(&cond, NULL) == -EINVAL);
}

static void *meet(void *number)
{
    for (unsigned long i = 1; i <= ROUNDS / 4; i++) {
        __atomic_store_n(&reached[(long)number], i, __ATOMIC_RELAXED);
        fence(&round_fence);
        for (int other = 0; other < THREADS; other++) {
            unsigned long at = __atomic_load_n(&reached[other], __ATOMIC_RELAXED);
            MUST(at == i || at == i + 1);
        }
    }
    return NULL;
}

void ___start(int argc, const char *argv[], char **envp)
{
    UNUSED(argc), UNUSED(argv), UNUSED(envp);
    mutexes();
    wrong_mutexes();
    unmade_mutex();
    semaphores();
    conditions();
    fence_init(&round_fence, THREADS);
    run(THREADS, meet);
    MUST(!wrong);
    uprintf("locks: right");
}
