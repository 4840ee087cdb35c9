/* SPDX-License-Identifier: MIT */
/*
 * pthread_key.c - keys: values that each thread has for itself, and destructors that a thread's end calls. In the
 * programs only that make a key: pthread_exit() finds run_destructors() by thread_leave.
 *
 * A key that is deleted may be made again. It has another number then, which each value is stored with; so a value of
 * the key before is not found. A key whose numbers are used up is not made again.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>

#include "lock.h"
#include "thread.h"

#define LAST_NUMBER (UINT32_MAX - 1)

static uint32_t keys_lock;
static struct {
    uint32_t number; /* odd: in use */
    void (*destructor)(void *);
} keys[PTHREAD_KEYS_MAX];

static _Thread_local struct {
    uint32_t number;
    void *value;
} values[PTHREAD_KEYS_MAX];

/* Returns the number of a key that is in use, or 0. */
static uint32_t number_of(pthread_key_t key)
{
    uint32_t number = key < PTHREAD_KEYS_MAX ? __atomic_load_n(&keys[key].number, __ATOMIC_RELAXED) : 0;
    return number % 2 ? number : 0;
}

/* Call the destructor of a key if there are one and a value. Returns whether it was called. */
static bool destroy(pthread_key_t key)
{
    void *value = values[key].value, (*destructor)(void *) = NULL;
    if (!value)
        return false;
    lock_take(&keys_lock);
    if (values[key].number == number_of(key))
        destructor = keys[key].destructor;
    lock_drop(&keys_lock);
    if (!destructor)
        return false;
    values[key].value = NULL;
    destructor(value);
    return true;
}

/* A destructor may set values, for which the destructors are called again. */
static void run_destructors(void)
{
    bool again = true;
    for (unsigned i = 0; again && i < PTHREAD_DESTRUCTOR_ITERATIONS; i++) {
        again = false;
        for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; key++)
            again |= destroy(key);
    }
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    pthread_key_t at = 0;
    lock_take(&keys_lock);
    while (at < PTHREAD_KEYS_MAX && (keys[at].number % 2 || keys[at].number == LAST_NUMBER))
        at++;
    bool found = at < PTHREAD_KEYS_MAX;
    if (found) {
        keys[at].destructor = destructor;
        __atomic_store_n(&keys[at].number, keys[at].number + 1, __ATOMIC_RELAXED);
        thread_leave_by(LEAVE_KEYS, run_destructors);
    }
    lock_drop(&keys_lock);
    if (!found)
        return EAGAIN;
    *key = at;
    return 0;
}

int pthread_key_delete(pthread_key_t key)
{
    lock_take(&keys_lock);
    uint32_t number = number_of(key);
    if (number)
        __atomic_store_n(&keys[key].number, number + 1, __ATOMIC_RELAXED);
    lock_drop(&keys_lock);
    return number ? 0 : EINVAL;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
    uint32_t number = number_of(key);
    if (!number)
        return EINVAL;
    values[key].number = number;
    values[key].value = (void *)(uintptr_t)value;
    return 0;
}

void *pthread_getspecific(pthread_key_t key)
{
    uint32_t number = number_of(key);
    return number && values[key].number == number ? values[key].value : NULL;
}
