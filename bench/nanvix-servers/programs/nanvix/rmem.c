/* SPDX-License-Identifier: MIT */
/*
 * rmem.c - a program of libnanvix that keeps more data at a memory server than its cluster has memory, and checks them
 * (docs/servers.md).
 *   rmem PAGES
 *   rmem cost   measure between marks: 20 pages that are not here between 1 and 2, 20 that are between 3 and 4
 * Those whose server dies are tests/programs/nanvix/lost.c's.
 */
#include <nanvix/runtime/mm/cache.h>
#include <nanvix/sys/noc.h>

#include "../../../../user/programs/mark.h"
#include "../../../../user/programs/nanvix/check.h"

#define MOST    2000
#define SAMPLES 31
#define BATCH   20
#define WORDS   (RMEM_BLOCK_SIZE / sizeof(unsigned))

static rpage_t pages[MOST];

/* The server may not be there yet. */
static rpage_t first_page(void)
{
    rpage_t page = RMEM_NULL;
    for (int i = 0; i < 1000 && page == RMEM_NULL; i++)
        page = nanvix_rcache_alloc();
    return page;
}

static unsigned word_of(unsigned page, unsigned i) { return page * 2654435761u + i * 40503u; }

static void wrong_arguments(void)
{
    static char page[RMEM_BLOCK_SIZE];
    MUST(nanvix_rmem_free(RMEM_NULL) == -EINVAL && nanvix_rmem_free(RMEM_NUM_BLOCKS) == -EINVAL);
    MUST(nanvix_rmem_free(RMEM_NUM_BLOCKS - 1) == -EFAULT && nanvix_rmem_read(RMEM_NULL, page) == 0);
    errno = 0;
    MUST(nanvix_rmem_read(RMEM_NUM_BLOCKS - 1, page) == 0 && errno == EFAULT);
    errno = 0;
    MUST(nanvix_rmem_write(RMEM_NUM_BLOCKS - 1, page) == 0 && errno == EFAULT);
    MUST(nanvix_rmem_read(pages[0], NULL) == 0 && nanvix_rmem_write(pages[0], NULL) == 0);
    MUST(nanvix_rmem_stats(NULL) == -EINVAL && !nanvix_rcache_get(RMEM_NULL));
}

static void fill(unsigned n)
{
    for (unsigned p = 0; p < n; p++) {
        unsigned *at = nanvix_rcache_get(pages[p]);
        MUST(at);
        for (unsigned i = 0; i < WORDS; i++)
            at[i] = word_of(p, i);
        MUST(nanvix_rcache_put(pages[p], 0) == 0);
    }
}

static void check(unsigned n)
{
    for (unsigned p = 0; p < n; p++) {
        const unsigned *at = nanvix_rcache_peek(pages[p]);
        MUST(at);
        for (unsigned i = 0; i < WORDS; i++)
            MUST(at[i] == word_of(p, i));
        MUST(nanvix_rcache_put(pages[p], 0) == 0);
    }
}

static void touch(unsigned p)
{
    MUST(nanvix_rcache_peek(pages[p]));
    MUST(nanvix_rcache_put(pages[p], 0) == 0);
}

/* A page that is here is got and put in line, without a call of a function that saves registers for what is not. */
static void measure_here(rpage_t page)
{
    for (int i = 0; i < SAMPLES; i++) {
        touch(0);
        MARK(3);
        for (int k = 0; k < BATCH; k++) {
            MUST(nanvix_rcache_peek(page));
            MUST(nanvix_rcache_put(page, 0) == 0);
        }
        MARK(4);
    }
}

static void measure(void)
{
    unsigned next = 0;
    for (unsigned p = 1; p < 2 * RCACHE_LENGTH; p++)
        MUST((pages[p] = nanvix_rcache_alloc()) != RMEM_NULL);
    for (int i = 0; i < SAMPLES; i++) {
        MARK(1);
        for (int k = 0; k < BATCH; k++)
            touch(next++ % (2 * RCACHE_LENGTH));
        MARK(2);
    }
    measure_here(pages[0]);
}

void ___start(int argc, const char *argv[], char **envp)
{
    struct rcache_stats counts;
    unsigned n = 0;
    UNUSED(envp);
    knoc_init();
    MUST((pages[0] = first_page()) != RMEM_NULL);
    if (argc > 1 && !ustrcmp(argv[1], "cost")) {
        measure();
        return;
    }
    for (const char *p = argc > 1 ? argv[1] : "100"; *p; p++)
        n = n * 10 + (unsigned)(*p - '0');
    MUST(n <= MOST);
    wrong_arguments();
    for (unsigned p = 1; p < n; p++)
        MUST((pages[p] = nanvix_rcache_alloc()) != RMEM_NULL);
    fill(n);
    check(n);
    MUST(nanvix_rcache_stats(&counts) == 0);
    for (unsigned p = 0; p < n; p++)
        MUST(nanvix_rcache_free(pages[p]) == 0);
    uprintf("rmem: right, %d pages, %d misses", (int)n, (int)counts.nmisses);
}
