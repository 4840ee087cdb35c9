/* SPDX-License-Identifier: MIT */
/*
 * sync.h - threads that use each object of pthread.h and semaphore.h at once, in an order of chance: of sync.c, and of
 * tests/unit/test_user_stress.c, under the thread sanitizer. What an object promises is checked where it is used, and
 * sums at the end. No wait but those at barriers is without an end, so nobody sleeps for ever unless a wake is lost.
 *
 * Each ROUND steps all threads meet: one of them makes a barrier, at which they meet once, and which one of them then
 * frees; and one thread creates another one, with a semaphore that is freed as soon as that one has posted it.
 */
#ifndef AMALGAM_PROGRAMS_SYNC_H
#define AMALGAM_PROGRAMS_SYNC_H

#include <amalgam/calls.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>

#define SYNC_MOST 16 /* threads */
#define PERMITS   2
#define ITEMS     3
#define ROUND     50

struct worker {
    unsigned number, random, steps;
    unsigned long counted, spun, written, put, taken, late, children;
    int thread; /* of the kernel, for signals */
};

static struct {
    struct worker worker[SYNC_MOST];
    unsigned threads, inside, items;
    unsigned long counter, spins, a, b, rounds, made, destroyed, wrong;
    pthread_mutex_t mutex, queue_mutex;
    pthread_cond_t filled, emptied;
    pthread_rwlock_t pair;
    pthread_spinlock_t spin;
    pthread_barrier_t all, *once_only;
    pthread_once_t once;
    pthread_key_t own, destroyed_key;
    sem_t permits;
} sync;

#define CHECK(what) ((what) ? (void)0 : (void)__atomic_add_fetch(&sync.wrong, 1, __ATOMIC_RELAXED))

static unsigned chance(struct worker *w, unsigned n)
{
    w->random = w->random * 1664525u + 1013904223u;
    return (w->random >> 16) % n;
}

static struct timespec in_a_while(struct worker *w)
{
    uint64_t ns = (uint64_t)amalgam_clock() + chance(w, 100) * 1000;
    return (struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
}

/* Whether a lock was taken that may also have been late or busy. */
static bool took(struct worker *w, int error)
{
    CHECK(error == 0 || error == ETIMEDOUT || error == EBUSY);
    w->late += error == ETIMEDOUT;
    return !error;
}

static void count_by_mutex(struct worker *w)
{
    struct timespec soon = in_a_while(w);
    int way = (int)chance(w, 8);
    if (!took(w, way == 0   ? pthread_mutex_clocklock(&sync.mutex, CLOCK_MONOTONIC, &soon)
                 : way == 1 ? pthread_mutex_trylock(&sync.mutex)
                            : pthread_mutex_lock(&sync.mutex)))
        return;
    sync.counter++;
    w->counted++;
    if (way == 2)
        sched_yield();
    CHECK(pthread_mutex_unlock(&sync.mutex) == 0);
}

static void count_by_spinning(struct worker *w)
{
    if (!took(w, chance(w, 4) ? pthread_spin_lock(&sync.spin) : pthread_spin_trylock(&sync.spin)))
        return;
    sync.spins++;
    w->spun++;
    CHECK(pthread_spin_unlock(&sync.spin) == 0);
}

static void read_or_write(struct worker *w)
{
    struct timespec soon = in_a_while(w);
    bool timed = chance(w, 4) == 0;
    if (chance(w, 4)) {
        if (!took(w, timed          ? pthread_rwlock_clockrdlock(&sync.pair, CLOCK_MONOTONIC, &soon)
                     : chance(w, 4) ? pthread_rwlock_rdlock(&sync.pair)
                                    : pthread_rwlock_tryrdlock(&sync.pair)))
            return;
        CHECK(sync.a == sync.b);
    } else {
        if (!took(w, timed          ? pthread_rwlock_clockwrlock(&sync.pair, CLOCK_MONOTONIC, &soon)
                     : chance(w, 4) ? pthread_rwlock_wrlock(&sync.pair)
                                    : pthread_rwlock_trywrlock(&sync.pair)))
            return;
        sync.a++;
        if (chance(w, 8) == 0)
            sched_yield();
        sync.b++;
        w->written++;
    }
    CHECK(pthread_rwlock_unlock(&sync.pair) == 0);
}

/* sem_wait(), again after each signal. */
static void await_post(sem_t *s)
{
    while (sem_wait(s))
        CHECK(errno == EINTR);
}

static void use_a_permit(struct worker *w)
{
    struct timespec soon = in_a_while(w);
    unsigned way = chance(w, 4);
    if (way == 0 && sem_clockwait(&sync.permits, CLOCK_MONOTONIC, &soon)) {
        CHECK(errno == ETIMEDOUT || errno == EINTR);
        w->late += errno == ETIMEDOUT;
        return;
    }
    if (way == 1 && sem_trywait(&sync.permits)) {
        CHECK(errno == EAGAIN);
        return;
    }
    if (way > 1)
        await_post(&sync.permits);
    CHECK(__atomic_add_fetch(&sync.inside, 1, __ATOMIC_RELAXED) <= PERMITS);
    if (way == 2)
        sched_yield();
    __atomic_sub_fetch(&sync.inside, 1, __ATOMIC_RELAXED);
    CHECK(sem_post(&sync.permits) == 0);
}

/* Put an item into the queue, or take one, if there is room or one before a time. */
static void put_or_take(struct worker *w)
{
    struct timespec soon = in_a_while(w);
    bool puts = chance(w, 2);
    unsigned unfit = puts ? ITEMS : 0;
    int error = 0;
    pthread_mutex_lock(&sync.queue_mutex);
    while (sync.items == unfit && !error)
        error = pthread_cond_timedwait(puts ? &sync.emptied : &sync.filled, &sync.queue_mutex, &soon);
    took(w, error);
    if (sync.items != unfit) {
        sync.items += puts ? 1 : -1u;
        *(puts ? &w->put : &w->taken) += 1;
        (chance(w, 4) ? pthread_cond_signal : pthread_cond_broadcast)(puts ? &sync.filled : &sync.emptied);
    }
    pthread_mutex_unlock(&sync.queue_mutex);
}

static void use_keys(struct worker *w)
{
    pthread_key_t key;
    CHECK(pthread_getspecific(sync.own) == w);
    if (chance(w, 4))
        return;
    CHECK(pthread_key_create(&key, NULL) == 0 && pthread_getspecific(key) == NULL);
    CHECK(pthread_setspecific(key, &key) == 0 && pthread_getspecific(key) == &key);
    CHECK(pthread_key_delete(key) == 0);
}

static void note_destruction(void *value)
{
    (void)value;
    __atomic_add_fetch(&sync.destroyed, 1, __ATOMIC_RELAXED);
}

static void *post_and_end(void *semaphore)
{
    CHECK(pthread_getspecific(sync.destroyed_key) == NULL && pthread_getspecific(sync.own) == NULL);
    pthread_setspecific(sync.destroyed_key, semaphore);
    sem_post(semaphore);
    return NULL;
}

static void create_one(struct worker *w)
{
    pthread_t child;
    sem_t *posted = malloc(sizeof(*posted));
    CHECK(sem_init(posted, 0, 0) == 0);
    int error = pthread_create(&child, NULL, post_and_end, posted);
    CHECK(error == 0 || error == EAGAIN);
    if (!error) {
        await_post(posted);
        CHECK(sem_destroy(posted) == 0);
    }
    free(posted);
    if (!error)
        CHECK(pthread_join(child, NULL) == 0);
    w->children += !error;
}

static void make_once(void) { sync.made++; }

static void meet(struct worker *w)
{
    if (pthread_barrier_wait(&sync.all) == PTHREAD_BARRIER_SERIAL_THREAD) {
        sync.rounds++;
        sync.once = PTHREAD_ONCE_INIT;
        sync.once_only = malloc(sizeof(*sync.once_only));
        CHECK(pthread_barrier_init(sync.once_only, NULL, sync.threads) == 0);
    }
    pthread_barrier_wait(&sync.all);
    pthread_once(&sync.once, make_once);
    CHECK(sync.made == sync.rounds);
    pthread_barrier_t *mine = sync.once_only;
    if (sync.rounds % sync.threads == w->number)
        create_one(w);
    if (pthread_barrier_wait(mine) == PTHREAD_BARRIER_SERIAL_THREAD) {
        CHECK(pthread_barrier_destroy(mine) == 0);
        free(mine);
    }
}

static void *work(void *arg)
{
    static void (*const deeds[])(struct worker *) = { count_by_mutex, count_by_spinning, read_or_write,
                                                      use_a_permit,   put_or_take,       use_keys };
    struct worker *w = arg;
    __atomic_store_n(&w->thread, (int)amalgam_thread_self(), __ATOMIC_RELAXED);
    pthread_setspecific(sync.own, w);
    for (unsigned i = 0; i < w->steps; i++)
        if (i % ROUND)
            deeds[chance(w, sizeof(deeds) / sizeof(deeds[0]))](w);
        else
            meet(w);
    return NULL;
}

static void sync_begin(unsigned threads, unsigned steps)
{
    pthread_condattr_t attr;
    sync.threads = threads;
    sync.mutex = sync.queue_mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    sync.pair = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&sync.filled, &attr);
    pthread_cond_init(&sync.emptied, &attr);
    pthread_spin_init(&sync.spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&sync.all, NULL, threads);
    sem_init(&sync.permits, 0, PERMITS);
    CHECK(pthread_key_create(&sync.own, NULL) == 0);
    CHECK(pthread_key_create(&sync.destroyed_key, note_destruction) == 0);
    for (unsigned i = 0; i < threads; i++)
        sync.worker[i] = (struct worker){ .number = i, .random = i, .steps = steps / threads, .thread = -1 };
}

/* When all threads have ended: what they say that they have done must be what the objects have seen. Returns the sum of
 * what they say. */
static struct worker sync_end(void)
{
    struct worker sum = { 0 };
    int permits;
    for (unsigned i = 0; i < sync.threads; i++) {
        sum.counted += sync.worker[i].counted;
        sum.spun += sync.worker[i].spun;
        sum.written += sync.worker[i].written;
        sum.put += sync.worker[i].put;
        sum.taken += sync.worker[i].taken;
        sum.late += sync.worker[i].late;
        sum.children += sync.worker[i].children;
    }
    CHECK(sum.counted == sync.counter && sum.spun == sync.spins && sum.written == sync.a && sync.a == sync.b);
    CHECK(sum.put == sum.taken + sync.items && sum.children == sync.destroyed && sync.rounds == sync.made);
    CHECK(sum.counted && sum.spun && sum.written && sum.put && sum.late && sum.children);
    CHECK(sem_getvalue(&sync.permits, &permits) == 0 && permits == PERMITS && sem_destroy(&sync.permits) == 0);
    CHECK(pthread_rwlock_destroy(&sync.pair) == 0 && pthread_barrier_destroy(&sync.all) == 0);
    CHECK(pthread_mutex_destroy(&sync.mutex) == 0 && pthread_spin_destroy(&sync.spin) == 0);
    CHECK(pthread_cond_destroy(&sync.filled) == 0 && pthread_cond_destroy(&sync.emptied) == 0);
    return sum;
}

#endif
