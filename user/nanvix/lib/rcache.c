/* SPDX-License-Identifier: MIT */
/*
 * rcache.c - see nanvix/runtime/mm/cache.h. A page that is here is mostly got and put in line (cache_hit.h, which says
 * how). All else is done under a lock, also while a server is asked: only its holder blocks a place, and a place
 * changes only while it is blocked.
 */
#include <nanvix/runtime/mm/cache.h>

#include "nanvix.h"
#include "rcache_policy.h"

#define END (__rcache.place + RCACHE_LENGTH)

struct __rcache_table __rcache;

static char memory[RCACHE_LENGTH][RMEM_BLOCK_SIZE] __attribute__((aligned(RMEM_BLOCK_SIZE)));
static int policy = RCACHE_FIFO;
static unsigned here; /* places with a page */
static uint64_t brought;
static unsigned uncounted; /* gets without a page, and puts of pages that were freed */
static struct rcache_stats counts;
static uint32_t lock;

/* Returns false: somebody holds it. */
static bool block(struct __rcache_place *p)
{
    long nobody = 0;
    return __atomic_compare_exchange_n(&p->held, &nobody, RCACHE_BLOCKED, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void unblock(struct __rcache_place *p) { __atomic_fetch_sub(&p->held, RCACHE_BLOCKED, __ATOMIC_RELEASE); }

static bool has_page(const struct __rcache_place *p) { return p->page != RMEM_NULL && !p->freed; }

/* Let the page be got in line, if the policy does. */
static void open_place(struct __rcache_place *p)
{
    p->open = policy == RCACHE_BYPASS || policy == RCACHE_AGING ? RMEM_NULL : p->page;
}

/* The place is blocked. */
static void forget(struct __rcache_place *p)
{
    here -= has_page(p);
    p->open = p->page = RMEM_NULL;
    p->freed = p->changed = false;
}

static struct __rcache_place *find(rpage_t page)
{
    volatile uint8_t *guess = &__rcache.guess[page % RCACHE_GUESSES];
    struct __rcache_place *last = &__rcache.place[*guess];
    if (page == RMEM_NULL)
        return NULL;
    if (last->page == page && !last->freed)
        return last;
    for (struct __rcache_place *p = __rcache.place; p < END; p++)
        if (p->page == page && !p->freed) {
            *guess = (uint8_t)(p - __rcache.place);
            return p;
        }
    return NULL;
}

/* Write it back while it is blocked, or held: then it stays changed, as its holder may change it later. It does also
 * with an error, which is returned, of nanvix_rmem_write_back(). */
static int write_back(struct __rcache_place *p, bool blocked)
{
    if (p->freed || !p->changed)
        return 0;
    int error = nanvix_rmem_write_back(p->page, p->memory);
    if (!error && blocked)
        p->changed = false;
    return error;
}

static uint32_t server_bit(struct __rcache_place *p) { return 1u << (p->page >> RMEM_SERVER_SHIFT) % 32; }

/* Returns the place of the page to make room: none that is held, or would be written to a server of `but`. NULL: there
 * is none. */
static struct __rcache_place *least_worth(uint32_t but)
{
    struct __rcache_place *least = NULL;
    uint64_t low = 0;
    for (struct __rcache_place *p = __rcache.place; p < END; p++) {
        if (p->held || (p->changed && but & server_bit(p)))
            continue;
        uint64_t its = rcache_worth(policy, p);
        if (!least || its < low) {
            least = p;
            low = its;
        }
    }
    return least;
}

/* Returns a place without a page, or one whose page makes room, as does one that its server has lost. The place is
 * blocked. NULL, and an error in errno: EBUSY: all are held; EIO: some cannot be written back. */
static struct __rcache_place *make_room(void)
{
    struct __rcache_place *p;
    uint32_t dead = 0;
    for (p = __rcache.place; here < RCACHE_LENGTH && p < END; p++)
        if (!has_page(p) && block(p))
            return p;
    while ((p = least_worth(dead))) {
        if (!block(p)) /* somebody has got it meanwhile */
            continue;
        if (write_back(p, true) != -EIO)
            return p;
        dead |= server_bit(p);
        unblock(p);
    }
    nanvix_answer(dead ? -EIO : -EBUSY);
    return NULL;
}

/* Bring a page. The caller holds it. */
static struct __rcache_place *bring(rpage_t page)
{
    struct __rcache_place *p = make_room();
    counts.nmisses++;
    if (!p)
        return NULL;
    forget(p);
    p->memory = memory[p - __rcache.place];
    if (nanvix_rmem_read(page, p->memory) != RMEM_BLOCK_SIZE) {
        unblock(p);
        return NULL;
    }
    here++;
    p->page = page;
    p->since = ++brought;
    p->age = 0;
    open_place(p);
    return p;
}

void *__rcache_get_any(rpage_t page, bool changes)
{
    nanvix_lock_take(&lock);
    unsigned long before = __atomic_fetch_add(&__rcache.gets, 1, __ATOMIC_RELAXED);
    if (policy == RCACHE_AGING && (before + 1) % RCACHE_AGE_TURN == 0)
        rcache_grow_older();
    struct __rcache_place *p = find(page);
    bool is_new = !p;
    if (is_new)
        p = bring(page);
    if (p) {
        p->age |= RCACHE_AGE_NEW;
        p->used = before;
        if (changes)
            p->changed = true;
        __atomic_fetch_add(&p->held, is_new ? 1 - RCACHE_BLOCKED : 1, __ATOMIC_RELEASE);
    }
    uncounted += !p;
    nanvix_lock_drop(&lock);
    return p ? p->memory : NULL;
}

/* Returns false: nobody holds it. */
static bool let_go(struct __rcache_place *p)
{
    if (__atomic_fetch_sub(&p->held, 1, __ATOMIC_RELEASE) > 0)
        return true;
    __atomic_fetch_add(&p->held, 1, __ATOMIC_RELAXED);
    return false;
}

/* The place of a page that was freed while it was held becomes free with its last put. */
static void let_freed_go(rpage_t page)
{
    for (struct __rcache_place *p = __rcache.place; p < END; p++)
        if (p->freed && p->page == page && let_go(p)) {
            uncounted++;
            return;
        }
}

static int put(struct __rcache_place *p, int strike)
{
    if (!let_go(p))
        return -EFAULT;
    if (strike)
        rcache_strike(p);
    if (policy != RCACHE_BYPASS || !block(p))
        return 0;
    int error = write_back(p, true);
    if (!error)
        forget(p);
    unblock(p);
    return error ? -EIO : 0;
}

int __rcache_put_any(rpage_t page, int strike)
{
    nanvix_lock_take(&lock);
    struct __rcache_place *p = find(page);
    int error = p ? put(p, strike) : -EFAULT;
    if (error == -EFAULT)
        let_freed_go(page);
    nanvix_lock_drop(&lock);
    return error;
}

int nanvix_rcache_flush(void)
{
    int error = 0;
    nanvix_lock_take(&lock);
    for (struct __rcache_place *p = __rcache.place; p < END; p++)
        if (p->page != RMEM_NULL) {
            bool blocked = block(p);
            if (write_back(p, blocked))
                error = -EIO;
            if (blocked)
                unblock(p);
        }
    nanvix_lock_drop(&lock);
    return error;
}

rpage_t nanvix_rcache_alloc(void)
{
    rpage_t page = nanvix_rmem_alloc();
    nanvix_lock_take(&lock);
    counts.nallocs += page != RMEM_NULL;
    nanvix_lock_drop(&lock);
    return page;
}

int nanvix_rcache_free(rpage_t page)
{
    nanvix_lock_take(&lock);
    struct __rcache_place *p = find(page);
    if (p && block(p)) {
        forget(p);
        unblock(p);
    } else if (p) {
        p->open = RMEM_NULL;
        p->freed = true;
        here--;
    }
    int error = nanvix_rmem_free(page);
    counts.nfrees += !error;
    nanvix_lock_drop(&lock);
    return error;
}

int nanvix_rcache_select_replacement_policy(int wanted)
{
    if (!WITHIN(wanted, RCACHE_BYPASS, RCACHE_AGING + 1))
        return -EINVAL;
    struct __rcache_place *blocked = __rcache.place;
    nanvix_lock_take(&lock);
    while (blocked < END && block(blocked))
        blocked++;
    bool is_held = blocked < END;
    if (!is_held)
        policy = wanted;
    while (blocked-- > __rcache.place) {
        if (has_page(blocked))
            open_place(blocked);
        unblock(blocked);
    }
    nanvix_lock_drop(&lock);
    return is_held ? -EBUSY : 0;
}

/* The caller's memory may be remote: it is accessed without the lock. */
int nanvix_rcache_stats(struct rcache_stats *buf)
{
    if (!buf)
        return -EINVAL;
    nanvix_lock_take(&lock);
    struct rcache_stats now = counts;
    now.ngets = (unsigned)__rcache.gets;
    now.nputs = now.ngets - uncounted;
    for (struct __rcache_place *p = __rcache.place; p < END; p++)
        now.nputs -= (unsigned)p->held;
    now.nhits = now.ngets - now.nmisses;
    nanvix_lock_drop(&lock);
    *buf = now;
    return 0;
}
