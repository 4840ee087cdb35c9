/* SPDX-License-Identifier: MIT */
/*
 * atomic.c - the functions that gcc calls for atomic operations with -fno-inline-atomics (GCC manual, "Atomic Memory
 * Access"). Each takes one of a few locks, chosen by the address. The lock is an acquire and a release, so every
 * operation has the strongest order. Atomic operations are only atomic to each other; a program must not mix them with
 * plain loads. A thread may wait for another one by any of them but a store.
 */
#include <string.h>

#include "openmp.h"

static volatile u32 *lock_of(const volatile void *at)
{
    uintptr_t a = (uintptr_t)at;
    return &omp_self.words->hashed[(a >> 4 ^ a >> 10) % HASHED].word;
}

#define NAME(what) __asm__("__atomic_" #what)

/* Define one function of an operation that returns the old or the new value. */
#define FETCH(type, size, name, new, result)                                                                           \
    type name##_##size(volatile void *at, type value, int order) NAME(name##_##size);                                  \
    type name##_##size(volatile void *at, type value, int order)                                                       \
    {                                                                                                                  \
        volatile u32 *lock = lock_of(at);                                                                              \
        (void)order;                                                                                                   \
        omp_take(lock);                                                                                                \
        type was = *(volatile type *)at, now = (type)(new);                                                            \
        *(volatile type *)at = now;                                                                                    \
        omp_drop(lock);                                                                                                \
        omp_polled();                                                                                                  \
        (void)was;                                                                                                     \
        return result;                                                                                                 \
    }

#define BOTH(type, size, op, new) FETCH(type, size, fetch_##op, new, was) FETCH(type, size, op##_fetch, new, now)

#define OPERATIONS(type, size)                                                                                         \
    BOTH(type, size, add, was + value)                                                                                 \
    BOTH(type, size, sub, was - value)                                                                                 \
    BOTH(type, size, and, was &value)                                                                                  \
    BOTH(type, size, or, was | value)                                                                                  \
    BOTH(type, size, xor, was ^ value)                                                                                 \
    BOTH(type, size, nand, ~(was & value))                                                                             \
    FETCH(type, size, exchange, value, was)                                                                            \
    type load_##size(const volatile void *at, int order) NAME(load_##size);                                            \
    type load_##size(const volatile void *at, int order)                                                               \
    {                                                                                                                  \
        volatile u32 *lock = lock_of(at);                                                                              \
        (void)order;                                                                                                   \
        omp_take(lock);                                                                                                \
        type was = *(const volatile type *)at;                                                                         \
        omp_drop(lock);                                                                                                \
        omp_polled();                                                                                                  \
        return was;                                                                                                    \
    }                                                                                                                  \
    void store_##size(volatile void *at, type value, int order) NAME(store_##size);                                    \
    void store_##size(volatile void *at, type value, int order)                                                        \
    {                                                                                                                  \
        volatile u32 *lock = lock_of(at);                                                                              \
        (void)order;                                                                                                   \
        omp_take(lock);                                                                                                \
        *(volatile type *)at = value;                                                                                  \
        omp_drop(lock);                                                                                                \
    }                                                                                                                  \
    bool compare_exchange_##size(volatile void *at, void *expected, type value, int yes, int no)                       \
        NAME(compare_exchange_##size);                                                                                 \
    bool compare_exchange_##size(volatile void *at, void *expected, type value, int yes, int no)                       \
    {                                                                                                                  \
        volatile u32 *lock = lock_of(at);                                                                              \
        (void)yes, (void)no;                                                                                           \
        omp_take(lock);                                                                                                \
        type was = *(volatile type *)at;                                                                               \
        bool same = was == *(type *)expected;                                                                          \
        if (same)                                                                                                      \
            *(volatile type *)at = value;                                                                              \
        omp_drop(lock);                                                                                                \
        *(type *)expected = was;                                                                                       \
        if (!same)                                                                                                     \
            omp_polled();                                                                                              \
        return same;                                                                                                   \
    }

OPERATIONS(u8, 1)
OPERATIONS(u16, 2)
OPERATIONS(u32, 4)
OPERATIONS(u64, 8)

/* Functions for any size, which gcc calls for objects that are larger or whose size is no power of two. */
void load_any(size_t n, const void *at, void *result, int order) NAME(load);
void store_any(size_t n, void *at, const void *value, int order) NAME(store);
void exchange_any(size_t n, void *at, const void *value, void *result, int order) NAME(exchange);
bool compare_exchange_any(size_t n, void *at, void *expected, const void *value, int yes, int no)
    NAME(compare_exchange);

void load_any(size_t n, const void *at, void *result, int order)
{
    (void)order;
    omp_take(lock_of(at));
    memcpy(result, at, n);
    omp_drop(lock_of(at));
    omp_polled();
}

void store_any(size_t n, void *at, const void *value, int order)
{
    (void)order;
    omp_take(lock_of(at));
    memcpy(at, value, n);
    omp_drop(lock_of(at));
}

void exchange_any(size_t n, void *at, const void *value, void *result, int order)
{
    (void)order;
    omp_take(lock_of(at));
    memcpy(result, at, n);
    memcpy(at, value, n);
    omp_drop(lock_of(at));
    omp_polled();
}

bool compare_exchange_any(size_t n, void *at, void *expected, const void *value, int yes, int no)
{
    (void)yes, (void)no;
    omp_take(lock_of(at));
    bool same = !memcmp(at, expected, n);
    memcpy(same ? at : expected, same ? value : at, n);
    omp_drop(lock_of(at));
    if (!same)
        omp_polled();
    return same;
}
