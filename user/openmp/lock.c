/* SPDX-License-Identifier: MIT */
/*
 * lock.c - critical sections, the program's locks, the C library's lock, flush. A lock is a line of uncached memory
 * with a word that is taken by test-and-set. omp_lock_t holds the lock's number + 1.
 */
#include <sys/lock.h>

#include "openmp.h"

struct nest_lock {
    u32 number, depth, reserved;
};

void omp_flush(void);
void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **name);
void GOMP_critical_name_end(void **name);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);
void omp_init_lock(u32 *lock);
void omp_destroy_lock(u32 *lock);
void omp_set_lock(u32 *lock);
void omp_unset_lock(u32 *lock);
int omp_test_lock(u32 *lock);
void omp_init_nest_lock(struct nest_lock *l);
void omp_destroy_nest_lock(struct nest_lock *l);
void omp_set_nest_lock(struct nest_lock *l);
void omp_unset_nest_lock(struct nest_lock *l);
int omp_test_nest_lock(struct nest_lock *l);
void omp_init_lock_with_hint(u32 *lock, int hint);
void omp_init_nest_lock_with_hint(struct nest_lock *l, int hint);

void omp_flush(void)
{
    omp_release();
    omp_acquire();
    omp_polled();
}

/* Take a lock of the program, which may wait for another thread by taking it again and again. */
static void take(volatile u32 *lock)
{
    omp_take(lock);
    omp_polled();
}

void GOMP_critical_start(void) { take(&omp_self.words->global.word); }
void GOMP_critical_end(void) { omp_drop(&omp_self.words->global.word); }
void GOMP_atomic_start(void) { take(&omp_self.words->atomic.word); }
void GOMP_atomic_end(void) { omp_drop(&omp_self.words->atomic.word); }

static struct omp_lock *lock_of(u32 number)
{
    if (number - 1 >= LOCKS)
        omp_fail("a lock that was not initialized");
    return &omp_self.words->lock[number - 1];
}

/* Returns the number of a free lock. The caller must hold a lock of atomic operations. */
static u32 find_free(void)
{
    struct omp_words *w = omp_self.words;
    for (u32 i = 0; i < w->n_locks; i++)
        if (w->lock[i].free) {
            w->lock[i].free = 0;
            return i + 1;
        }
    if (w->n_locks == LOCKS)
        omp_fail("more than 512 locks");
    return ++w->n_locks;
}

static u32 new_lock(void)
{
    GOMP_atomic_start();
    u32 number = find_free();
    GOMP_atomic_end();
    return number;
}

/* Returns the lock of a critical section, or NULL if it has none yet. `name` is the address of a word that the compiler
 * made for the section. Entries are only added, and are counted when they are complete; so this needs no lock. */
static struct omp_lock *find_name(const void *name)
{
    struct omp_words *w = omp_self.words;
    for (u32 i = 0; i < w->n_names; i++)
        if (w->critical[i].name == name)
            return w->critical[i].lock;
    return NULL;
}

static struct omp_lock *lock_of_name(void *name)
{
    struct omp_words *w = omp_self.words;
    struct omp_lock *found = find_name(name);
    if (found)
        return found;
    GOMP_atomic_start();
    found = find_name(name);
    if (!found) {
        found = lock_of(find_free());
        w->critical[w->n_names].name = name;
        w->critical[w->n_names].lock = found;
        w->n_names++;
    }
    GOMP_atomic_end();
    return found;
}

void GOMP_critical_name_start(void **name) { take(&lock_of_name(name)->word); }
void GOMP_critical_name_end(void **name) { omp_drop(&lock_of_name(name)->word); }

void omp_init_lock(u32 *lock) { *lock = new_lock(); }
void omp_init_lock_with_hint(u32 *lock, int hint)
{
    (void)hint;
    omp_init_lock(lock);
}

void omp_destroy_lock(u32 *lock)
{
    struct omp_lock *l = lock_of(*lock);
    l->word = 0;
    l->free = 1;
    *lock = 0;
}

void omp_set_lock(u32 *lock) { take(&lock_of(*lock)->word); }
void omp_unset_lock(u32 *lock) { omp_drop(&lock_of(*lock)->word); }

int omp_test_lock(u32 *lock)
{
    if (omp_test_and_set(&lock_of(*lock)->word)) {
        omp_polled();
        return 0;
    }
    omp_acquire();
    return 1;
}

void omp_init_nest_lock(struct nest_lock *l) { *l = (struct nest_lock){ new_lock(), 0, 0 }; }
void omp_init_nest_lock_with_hint(struct nest_lock *l, int hint)
{
    (void)hint;
    omp_init_nest_lock(l);
}
void omp_destroy_nest_lock(struct nest_lock *l) { omp_destroy_lock(&l->number); }

/* If the task holds the lock already, take it once more and return true. */
static bool again(struct nest_lock *l)
{
    if (lock_of(l->number)->owner != (uintptr_t)omp_self.task)
        return false;
    l->depth++;
    return true;
}

static void own(struct nest_lock *l)
{
    lock_of(l->number)->owner = (uintptr_t)omp_self.task;
    l->depth = 1;
}

void omp_set_nest_lock(struct nest_lock *l)
{
    if (again(l))
        return;
    take(&lock_of(l->number)->word);
    own(l);
}

int omp_test_nest_lock(struct nest_lock *l)
{
    if (again(l))
        return (int)l->depth;
    if (!omp_test_lock(&l->number))
        return 0;
    own(l);
    return 1;
}

void omp_unset_nest_lock(struct nest_lock *l)
{
    struct omp_lock *lock = lock_of(l->number);
    if (--l->depth)
        return;
    lock->owner = 0;
    omp_drop(&lock->word);
}

/* The C library has one recursive lock; its owner is stored as the thread's number + 1. */
struct __lock {
    char unused;
};
struct __lock __lock___libc_recursive_mutex;
static u32 depth; /* accessed by the owner only */

void __retarget_lock_init(_LOCK_T *lock) { (void)lock; }
void __retarget_lock_init_recursive(_LOCK_T *lock) { (void)lock; }
void __retarget_lock_close(_LOCK_T lock) { (void)lock; }
void __retarget_lock_close_recursive(_LOCK_T lock) { (void)lock; }
void __retarget_lock_acquire(_LOCK_T lock) { __retarget_lock_acquire_recursive(lock); }
void __retarget_lock_release(_LOCK_T lock) { __retarget_lock_release_recursive(lock); }

void __retarget_lock_acquire_recursive(_LOCK_T lock)
{
    struct omp_lock *l = &omp_self.words->libc;
    (void)lock;
    if (l->owner != omp_self.id + 1) {
        omp_take(&l->word);
        l->owner = omp_self.id + 1;
        depth = 0;
    }
    depth++;
}

void __retarget_lock_release_recursive(_LOCK_T lock)
{
    struct omp_lock *l = &omp_self.words->libc;
    (void)lock;
    if (--depth)
        return;
    l->owner = 0;
    omp_drop(&l->word);
}
