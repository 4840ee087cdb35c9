/* SPDX-License-Identifier: MIT */
/* rcache.c - see nanvix/runtime/mm/cache.h. A lock guards all of it, also while a server is asked. */
#include <nanvix/runtime/mm/cache.h>

#include "nanvix.h"

#define AGE_TURN 8u /* so many gets make all pages older */
#define AGE_NEW  0x80u
#define GUESSES  (2 * RCACHE_LENGTH)

struct here {
    rpage_t page; /* RMEM_NULL: the place is free */
    unsigned held;
    bool changed;
    bool got;       /* since all became older: NRU */
    uint8_t age;    /* AGING: a bit for each of the last turns; the highest is the last */
    uint64_t since; /* FIFO: when it came; LRU: when it was got */
};

static struct here places[RCACHE_LENGTH];
static uint8_t guesses[GUESSES]; /* where a page with that number was found last */
static char memory[RCACHE_LENGTH][RMEM_BLOCK_SIZE] __attribute__((aligned(RMEM_BLOCK_SIZE)));
static int policy = RCACHE_FIFO;
static uint64_t turn;
static struct rcache_stats counts;
static uint32_t lock;

static struct here *find(rpage_t page)
{
    uint8_t *guess = &guesses[page % GUESSES];
    if (page == RMEM_NULL)
        return NULL;
    if (places[*guess].page == page)
        return &places[*guess];
    for (struct here *h = places; h < places + RCACHE_LENGTH; h++)
        if (h->page == page) {
            *guess = (uint8_t)(h - places);
            return h;
        }
    return NULL;
}

static char *memory_of(const struct here *h) { return memory[h - places]; }

/* Returns 0, or an error of nanvix_rmem_write_back(): it stays changed. So does one that is held, as its holder may
 * change it later. */
static int write_back(struct here *h)
{
    if (!h->changed)
        return 0;
    int error = nanvix_rmem_write_back(h->page, memory_of(h));
    h->changed = error || h->held;
    return error;
}

/* The lower, the sooner a page makes room. */
static uint64_t worth(const struct here *h)
{
    switch (policy) {
    case RCACHE_NRU: return (uint64_t)h->got * 2 + h->changed;
    case RCACHE_AGING: return h->age;
    default: return h->since;
    }
}

static uint32_t server_bit(const struct here *h) { return 1u << (h->page >> RMEM_SERVER_SHIFT) % 32; }

/* Returns the place of the page to make room: none that is held, or would be written to a server of `but`. NULL: there
 * is none. */
static struct here *least_worth(uint32_t but)
{
    struct here *least = NULL;
    uint64_t low = 0;
    for (struct here *h = places; h < places + RCACHE_LENGTH; h++) {
        if (h->held || (h->changed && but & server_bit(h)))
            continue;
        uint64_t its = worth(h);
        if (!least || its < low) {
            least = h;
            low = its;
        }
    }
    return least;
}

/* Returns a place without a page, or one whose page makes room, as does one that its server has lost; NULL: all are
 * held, or cannot be written back. */
static struct here *make_room(void)
{
    struct here *h;
    for (h = places; h < places + RCACHE_LENGTH; h++)
        if (h->page == RMEM_NULL)
            return h;
    for (uint32_t dead = 0; (h = least_worth(dead)); dead |= server_bit(h))
        if (write_back(h) != -EIO) {
            h->page = RMEM_NULL;
            return h;
        }
    return NULL;
}

static bool are_all_held(void)
{
    for (const struct here *h = places; h < places + RCACHE_LENGTH; h++)
        if (!h->held)
            return false;
    return true;
}

static void grow_older(void)
{
    if (++turn % AGE_TURN || (policy != RCACHE_NRU && policy != RCACHE_AGING))
        return;
    for (struct here *h = places; h < places + RCACHE_LENGTH; h++) {
        h->age >>= 1;
        h->got = false;
    }
}

/* Out of line: a page that is here has not to save registers for it. */
static __attribute__((noinline)) struct here *bring(rpage_t page)
{
    struct here *h = make_room();
    counts.nmisses++;
    if (!h)
        nanvix_answer(are_all_held() ? -EBUSY : -EIO);
    if (!h || nanvix_rmem_read(page, memory_of(h)) != RMEM_BLOCK_SIZE)
        return NULL;
    *h = (struct here){ .page = page, .since = turn };
    return h;
}

static char *get(rpage_t page, bool changes)
{
    nanvix_lock_take(&lock);
    grow_older();
    counts.ngets++;
    struct here *h = find(page);
    if (!h)
        h = bring(page);
    if (h) {
        h->held++;
        h->changed |= changes;
        h->got = true;
        h->age |= AGE_NEW;
        if (policy == RCACHE_LRU)
            h->since = turn;
    }
    nanvix_lock_drop(&lock);
    return h ? memory_of(h) : NULL;
}

void *nanvix_rcache_get(rpage_t page) { return get(page, true); }
const void *nanvix_rcache_peek(rpage_t page) { return get(page, false); }

static int put(struct here *h, int strike)
{
    if (!h || !h->held)
        return -EFAULT;
    h->held--;
    counts.nputs++;
    if (strike) {
        h->since = 0;
        h->age = 0;
        h->got = false;
    }
    if (policy != RCACHE_BYPASS || h->held)
        return 0;
    if (write_back(h))
        return -EIO;
    h->page = RMEM_NULL;
    return 0;
}

int nanvix_rcache_put(rpage_t page, int strike)
{
    nanvix_lock_take(&lock);
    int error = put(find(page), strike);
    nanvix_lock_drop(&lock);
    return error;
}

int nanvix_rcache_flush(void)
{
    int error = 0;
    nanvix_lock_take(&lock);
    for (struct here *h = places; h < places + RCACHE_LENGTH; h++)
        if (h->page != RMEM_NULL && write_back(h))
            error = -EIO;
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
    struct here *h = find(page);
    if (h)
        *h = (struct here){ .page = RMEM_NULL };
    int error = nanvix_rmem_free(page);
    counts.nfrees += !error;
    nanvix_lock_drop(&lock);
    return error;
}

int nanvix_rcache_select_replacement_policy(int wanted)
{
    if (!WITHIN(wanted, RCACHE_BYPASS, RCACHE_AGING + 1))
        return -EINVAL;
    unsigned held = 0;
    nanvix_lock_take(&lock);
    for (const struct here *h = places; h < places + RCACHE_LENGTH; h++)
        held += h->held;
    if (!held)
        policy = wanted;
    nanvix_lock_drop(&lock);
    return held ? -EBUSY : 0;
}

int nanvix_rcache_stats(struct rcache_stats *buf)
{
    if (!buf)
        return -EINVAL;
    nanvix_lock_take(&lock);
    *buf = counts;
    buf->nhits = counts.ngets - counts.nmisses;
    nanvix_lock_drop(&lock);
    return 0;
}
