/* SPDX-License-Identifier: MIT */
/*
 * nanvix/runtime/mm/cache_hit.h - how a remote page that is here is got and put: in line, without a lock and without a
 * call. cache.h includes this; programs call what cache.h names.
 *
 * A place counts who holds it. Who gets a page counts itself and then looks whether the page is still there: a place
 * makes room only when its count goes from 0 to RCACHE_BLOCKED in one step (rcache.c), so from then on it stays. A
 * count below 0 means that the place is about to change; who sees it takes its own 1 back and asks the function with
 * the lock. RCACHE_BLOCKED is so low that no number of threads that do so at once makes it 0 or more. A put counts down
 * by 1; whoever does not hold the page sees 0 or less, and takes that back, too.
 *
 * `open` is RMEM_NULL where each get and put has to be seen: with the policies BYPASS and AGING, and where the page was
 * freed while somebody holds it.
 */
#ifndef NANVIX_RUNTIME_MM_CACHE_HIT_H_
#define NANVIX_RUNTIME_MM_CACHE_HIT_H_

#define RCACHE_GUESSES 64
#define RCACHE_BLOCKED (-0x40000000)

struct __rcache_place {
    volatile long held;          /* how often the page was got and not put; below 0: the place may change */
    volatile rpage_t open;       /* the page, if it may be got by its count alone; or RMEM_NULL */
    volatile unsigned long used; /* how many gets there were before its last one */
    char *memory;
    volatile bool changed;

    /* The rest is for who has the lock. */
    bool freed;     /* while somebody held it: the place is free when nobody does */
    uint8_t age;    /* AGING: a bit for each of the last turns; the highest is the last */
    rpage_t page;   /* RMEM_NULL: the place is free */
    uint64_t since; /* FIFO: how many pages had come when this one did */
};

struct __rcache_table {
    struct __rcache_place place[RCACHE_LENGTH];
    volatile uint8_t guess[RCACHE_GUESSES]; /* where a page with that number was found last */
    volatile unsigned long gets;
};

extern struct __rcache_table __rcache;

/* The same under the lock, for any page. */
extern void *__rcache_get_any(rpage_t page, bool changes);
extern int __rcache_put_any(rpage_t page, int strike);

/* Returns the place that has the page open, or NULL. */
static inline struct __rcache_place *__rcache_open(rpage_t page)
{
    struct __rcache_place *p = &__rcache.place[__rcache.guess[page % RCACHE_GUESSES]];
    return page != RMEM_NULL && p->open == page ? p : NULL;
}

static inline void *__rcache_get(rpage_t page, bool changes)
{
    struct __rcache_place *p = __rcache_open(page);
    if (!p)
        return __rcache_get_any(page, changes);
    if (__atomic_fetch_add(&p->held, 1, __ATOMIC_ACQUIRE) < 0 || p->open != page) {
        __atomic_fetch_sub(&p->held, 1, __ATOMIC_RELEASE);
        return __rcache_get_any(page, changes);
    }
    p->used = __atomic_fetch_add(&__rcache.gets, 1, __ATOMIC_RELAXED);
    if (changes)
        p->changed = true;
    return p->memory;
}

static inline int __rcache_put(rpage_t page, int strike)
{
    struct __rcache_place *p = strike ? NULL : __rcache_open(page);
    if (!p)
        return __rcache_put_any(page, strike);
    if (__atomic_fetch_sub(&p->held, 1, __ATOMIC_RELEASE) > 0)
        return 0;
    __atomic_fetch_add(&p->held, 1, __ATOMIC_RELAXED);
    return __rcache_put_any(page, strike);
}

#endif
