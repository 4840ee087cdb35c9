/* SPDX-License-Identifier: MIT */
/* test_rcache.c - the cache of remote pages. The test is the server: it has the pages' true contents. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <nanvix/runtime/mm/cache.h>

#include "../../user/nanvix/lib/nanvix.h"

#define PAGES 100 /* more than there is room for */

static unsigned char remote[PAGES + 1][RMEM_BLOCK_SIZE];
static bool has[PAGES + 1], dead;
static unsigned reads, writes;
static rpage_t stuck; /* its server does not answer */

static int error; /* what errno is */

int nanvix_answer(int result)
{
    error = -result;
    return -1;
}

static const struct rcache_stats *callers; /* not NULL: memory that nobody writes under the lock */

void nanvix_lock_take(uint32_t *word)
{
    assert_int_equal(*word, 0);
    *word = 1;
}
void nanvix_lock_drop(uint32_t *word)
{
    assert_true(!callers || callers->ngets == UINT_MAX);
    *word = 0;
}

rpage_t nanvix_rmem_alloc(void)
{
    rpage_t page = 1;
    while (page <= PAGES && has[page])
        page++;
    if (dead || page > PAGES)
        return RMEM_NULL;
    has[page] = true;
    memset(remote[page], 0, RMEM_BLOCK_SIZE);
    return page;
}

int nanvix_rmem_free(rpage_t page)
{
    if (page > PAGES || !has[page])
        return -EFAULT;
    has[page] = false;
    return 0;
}

size_t nanvix_rmem_read(rpage_t page, void *buf)
{
    if (dead || page > PAGES || !has[page])
        return 0;
    memcpy(buf, remote[page], RMEM_BLOCK_SIZE);
    reads++;
    return RMEM_BLOCK_SIZE;
}

int nanvix_rmem_write_back(rpage_t page, const void *buf)
{
    if (dead || page == stuck)
        return -EIO;
    if (page > PAGES || !has[page])
        return -EFAULT;
    memcpy(remote[page], buf, RMEM_BLOCK_SIZE);
    writes++;
    return 0;
}

static int setup(void **state)
{
    (void)state;
    dead = false;
    stuck = RMEM_NULL;
    for (rpage_t page = 1; page <= PAGES; page++)
        if (has[page])
            nanvix_rcache_free(page);
    assert_int_equal(nanvix_rcache_select_replacement_policy(RCACHE_FIFO), 0);
    reads = writes = 0;
    return 0;
}

static void touch(rpage_t page)
{
    assert_non_null(nanvix_rcache_peek(page));
    assert_int_equal(nanvix_rcache_put(page, 0), 0);
}

/* Returns whether it was here. */
static bool is_here(rpage_t page)
{
    unsigned before = reads;
    touch(page);
    return reads == before;
}

static void a_page_that_is_here_is_not_asked_for(void **state)
{
    (void)state;
    struct rcache_stats before, after;
    rpage_t page = nanvix_rcache_alloc();
    assert_int_equal(nanvix_rcache_stats(&before), 0);
    char *at = nanvix_rcache_get(page);
    assert_ptr_equal(nanvix_rcache_get(page), at);
    assert_int_equal(nanvix_rcache_stats(&after), 0);
    assert_int_equal(after.ngets - before.ngets, 2);
    assert_int_equal(after.nmisses - before.nmisses, 1);
    assert_int_equal(after.nhits - before.nhits, 1);
    assert_int_equal(nanvix_rcache_put(page, 0), 0);
    assert_int_equal(nanvix_rcache_put(page, 0), 0);
    assert_int_equal(nanvix_rcache_put(page, 0), -EFAULT);
    assert_int_equal(nanvix_rcache_stats(NULL), -EINVAL);
}

/* It may be remote, and who brings it takes the lock. */
static void memory_of_the_caller_is_written_without_the_lock(void **state)
{
    (void)state;
    struct rcache_stats counted = { .ngets = UINT_MAX };
    callers = &counted;
    int result = nanvix_rcache_stats(&counted);
    callers = NULL;
    assert_int_equal(result, 0);
    assert_true(counted.ngets < UINT_MAX);
}

static void what_is_held_stays_and_what_was_changed_is_written_back(void **state)
{
    (void)state;
    rpage_t page[RCACHE_LENGTH + 2];
    for (int i = 0; i < RCACHE_LENGTH + 2; i++)
        page[i] = nanvix_rcache_alloc();
    char *first = nanvix_rcache_get(page[0]);
    first[5] = 'x';
    for (int i = 1; i < RCACHE_LENGTH; i++)
        assert_non_null(nanvix_rcache_peek(page[i]));
    assert_null(nanvix_rcache_get(page[RCACHE_LENGTH])); /* all are held */
    assert_int_equal(error, EBUSY);
    assert_int_equal(nanvix_rcache_select_replacement_policy(RCACHE_LRU), -EBUSY);
    assert_int_equal(nanvix_rcache_put(page[3], 0), 0);
    touch(page[RCACHE_LENGTH]);
    assert_int_equal(writes, 0); /* it was only looked at */
    assert_int_equal(nanvix_rcache_put(page[0], 0), 0);
    touch(page[RCACHE_LENGTH + 1]); /* in the place of one of the two that nobody holds */
    touch(page[3]);
    assert_int_equal(writes, 1);
    assert_int_equal(remote[page[0]][5], 'x');
    dead = true;
    assert_null(nanvix_rcache_get(page[0]));
    dead = false;
    for (int i = 1; i < RCACHE_LENGTH; i++)
        if (i != 3)
            assert_int_equal(nanvix_rcache_put(page[i], 0), 0);
}

static void a_page_that_cannot_be_written_back_is_not_lost(void **state)
{
    (void)state;
    rpage_t page = nanvix_rcache_alloc();
    char *at = nanvix_rcache_get(page);
    at[0] = 'y';
    assert_int_equal(nanvix_rcache_put(page, 0), 0);
    dead = true;
    assert_int_equal(nanvix_rcache_flush(), -EIO);
    dead = false;
    assert_int_equal(nanvix_rcache_flush(), 0);
    assert_int_equal(remote[page][0], 'y');
    assert_int_equal(nanvix_rcache_flush(), 0);
    assert_int_equal(writes, 1);
}

/* Its holder goes on: a page that is shown at an address is held all the time (manager.h). */
static void what_is_changed_behind_a_flush_is_written_back_too(void **state)
{
    (void)state;
    rpage_t page = nanvix_rcache_alloc();
    char *at = nanvix_rcache_get(page);
    at[0] = 'a';
    assert_int_equal(nanvix_rcache_flush(), 0);
    assert_int_equal(remote[page][0], 'a');
    at[0] = 'b';
    assert_int_equal(nanvix_rcache_put(page, 0), 0);
    assert_int_equal(nanvix_rcache_flush(), 0);
    assert_int_equal(remote[page][0], 'b');
    assert_int_equal(nanvix_rcache_flush(), 0);
    assert_int_equal(writes, 2);
}

static void the_place_of_a_page_that_is_freed_is_its_holders_until_the_put(void **state)
{
    (void)state;
    struct rcache_stats before, after;
    rpage_t page = nanvix_rcache_alloc();
    assert_int_equal(nanvix_rcache_stats(&before), 0);
    char *at = nanvix_rcache_get(page);
    at[9] = 'h';
    assert_int_equal(nanvix_rcache_free(page), 0);
    assert_null(nanvix_rcache_peek(page));
    for (int i = 0; i < 2 * RCACHE_LENGTH; i++)
        touch(nanvix_rcache_alloc());
    assert_int_equal(at[9], 'h');
    assert_int_equal(nanvix_rcache_flush(), 0);
    assert_int_equal(remote[page][9], 0); /* it is not written to what has its number by now */
    assert_int_equal(nanvix_rcache_select_replacement_policy(RCACHE_LRU), -EBUSY);
    const char *again = nanvix_rcache_peek(page);
    assert_true(again && again != at && !again[9]);
    assert_int_equal(nanvix_rcache_put(page, 0), 0);
    assert_int_equal(nanvix_rcache_put(page, 0), -EFAULT); /* of what was freed */
    assert_int_equal(nanvix_rcache_select_replacement_policy(RCACHE_LRU), 0);
    assert_int_equal(nanvix_rcache_put(page, 0), -EFAULT);
    assert_int_equal(nanvix_rcache_stats(&after), 0);
    assert_int_equal(after.ngets - before.ngets, 3 + 2 * RCACHE_LENGTH);
    assert_int_equal(after.nputs - before.nputs, 1 + 2 * RCACHE_LENGTH);
}

/* A page without a number is none, also where a place is free or its page was freed. */
static void no_page_is_never_here(void **state)
{
    (void)state;
    rpage_t page = RCACHE_GUESSES; /* what RMEM_NULL would be looked for as */
    while (nanvix_rcache_alloc() != page)
        ;
    assert_non_null(nanvix_rcache_get(page));
    assert_null(nanvix_rcache_get(RMEM_NULL));
    assert_int_equal(nanvix_rcache_free(page), 0);
    assert_null(nanvix_rcache_get(RMEM_NULL));
    assert_int_equal(nanvix_rcache_put(RMEM_NULL, 0), -EFAULT);
    assert_int_equal(nanvix_rcache_put(page, 0), -EFAULT);
}

static void a_struck_page_makes_room_first(void **state)
{
    (void)state;
    for (int policy = RCACHE_FIFO; policy <= RCACHE_AGING; policy++) {
        setup(NULL);
        assert_int_equal(nanvix_rcache_select_replacement_policy(policy), 0);
        for (int i = 0; i <= RCACHE_LENGTH; i++)
            assert_int_equal(nanvix_rcache_alloc(), i + 1);
        for (rpage_t page = 1; page <= RCACHE_LENGTH; page++)
            touch(page);
        for (rpage_t page = RCACHE_LENGTH; page > 0; page--) /* all are used alike of late, but for NRU */
            touch(page);
        assert_non_null(nanvix_rcache_peek(4));
        assert_int_equal(nanvix_rcache_put(4, 1), 0);
        touch(RCACHE_LENGTH + 1);
        assert_false(policy != RCACHE_NRU && is_here(4)); /* NRU: one of those that were not got in this turn */
    }
}

static void a_server_that_does_not_answer_keeps_pages_of_others_from_nobody(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * RCACHE_LENGTH; i++)
        assert_int_equal(nanvix_rcache_alloc(), i + 1);
    stuck = 1; /* the first one to make room */
    *(char *)nanvix_rcache_get(stuck) = 'c';
    assert_int_equal(nanvix_rcache_put(stuck, 0), 0);
    for (rpage_t page = 2; page <= 2 * RCACHE_LENGTH; page++)
        touch(page);
    assert_true(is_here(stuck)); /* it is not lost */
    stuck = RMEM_NULL;
    assert_int_equal(nanvix_rcache_flush(), 0);
    assert_int_equal(remote[1][0], 'c');
}

/* Its server has begun again, and has other pages of this process by now: all changed pages were of its former life. */
static void pages_that_are_lost_keep_no_later_ones_out(void **state)
{
    (void)state;
    for (rpage_t page = 1; page <= RCACHE_LENGTH; page++) {
        assert_int_equal(nanvix_rcache_alloc(), page);
        assert_non_null(nanvix_rcache_get(page));
        assert_int_equal(nanvix_rcache_put(page, 0), 0);
    }
    memset(has, 0, sizeof(has));
    has[RCACHE_LENGTH + 1] = true;
    assert_int_equal(nanvix_rcache_flush(), -EIO);
    touch(RCACHE_LENGTH + 1);
    assert_null(nanvix_rcache_get(1));
    for (rpage_t page = 1; page <= RCACHE_LENGTH; page++)
        nanvix_rcache_free(page);
    assert_int_equal(nanvix_rcache_flush(), 0);
}

static void bypass_keeps_nothing(void **state)
{
    (void)state;
    assert_int_equal(nanvix_rcache_select_replacement_policy(RCACHE_BYPASS), 0);
    assert_int_equal(nanvix_rcache_select_replacement_policy(9), -EINVAL);
    rpage_t page = nanvix_rcache_alloc();
    char *at = nanvix_rcache_get(page);
    at[7] = 'z';
    assert_int_equal(nanvix_rcache_put(page, 0), 0);
    assert_int_equal(remote[page][7], 'z');
    assert_false(is_here(page));
}

/* Fill all places with pages 1, 2, ..., then get page 1 again, then bring one more. */
static void one_too_many(int policy)
{
    setup(NULL);
    assert_int_equal(nanvix_rcache_select_replacement_policy(policy), 0);
    for (int i = 0; i <= RCACHE_LENGTH; i++)
        assert_int_equal(nanvix_rcache_alloc(), i + 1);
    for (rpage_t page = 1; page <= RCACHE_LENGTH; page++)
        touch(page);
    for (int i = 0; i < 20; i++)
        touch(1);
    touch(RCACHE_LENGTH + 1);
}

static void each_policy_lets_another_page_go(void **state)
{
    (void)state;
    one_too_many(RCACHE_FIFO);
    assert_false(is_here(1)); /* it came first */
    one_too_many(RCACHE_LRU);
    assert_true(is_here(1));
    assert_false(is_here(2)); /* it was got longest ago */
    one_too_many(RCACHE_NRU);
    assert_true(is_here(1)); /* it was got of late; of the others any */
    one_too_many(RCACHE_AGING);
    assert_true(is_here(1));
    assert_false(is_here(2)); /* it was got in the oldest turn */
}

static void at_random_each_policy_shows_what_was_written_last(void **state)
{
    (void)state;
    static unsigned char wanted[PAGES + 1];
    unsigned misses[RCACHE_AGING + 1];
    srand(5);
    for (int policy = RCACHE_BYPASS; policy <= RCACHE_AGING; policy++) {
        setup(NULL);
        assert_int_equal(nanvix_rcache_select_replacement_policy(policy), 0);
        memset(wanted, 0, sizeof(wanted));
        for (int i = 0; i < PAGES; i++)
            assert_true(nanvix_rcache_alloc() != RMEM_NULL);
        for (int i = 0; i < 10000; i++) {
            /* Three of four are for twenty pages. */
            rpage_t page = 1 + (rpage_t)rand() % (rand() % 4 ? 20 : PAGES);
            unsigned char *at = rand() % 3 ? nanvix_rcache_get(page) : (void *)nanvix_rcache_peek(page);
            bool changes = false;
            assert_non_null(at);
            assert_int_equal(at[page], wanted[page]);
            if (!(rand() % 2)) {
                at = nanvix_rcache_get(page);
                at[page] = wanted[page] = (unsigned char)rand();
                changes = true;
            }
            for (int puts = 0; puts <= changes; puts++)
                assert_int_equal(nanvix_rcache_put(page, 0), 0);
        }
        misses[policy] = reads;
        assert_int_equal(nanvix_rcache_flush(), 0);
        for (rpage_t page = 1; page <= PAGES; page++)
            assert_int_equal(remote[page][page], wanted[page]);
    }
    assert_true(misses[RCACHE_BYPASS] == 10000);
    assert_true(misses[RCACHE_LRU] < misses[RCACHE_FIFO] && misses[RCACHE_AGING] < misses[RCACHE_FIFO]);
}

#define TEST(t) cmocka_unit_test_setup(t, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_page_that_is_here_is_not_asked_for),
        TEST(memory_of_the_caller_is_written_without_the_lock),
        TEST(what_is_held_stays_and_what_was_changed_is_written_back),
        TEST(a_page_that_cannot_be_written_back_is_not_lost),
        TEST(what_is_changed_behind_a_flush_is_written_back_too),
        TEST(the_place_of_a_page_that_is_freed_is_its_holders_until_the_put),
        TEST(no_page_is_never_here),
        TEST(a_struck_page_makes_room_first),
        TEST(a_server_that_does_not_answer_keeps_pages_of_others_from_nobody),
        TEST(bypass_keeps_nothing),
        TEST(each_policy_lets_another_page_go),
        TEST(at_random_each_policy_shows_what_was_written_last),
        TEST(pages_that_are_lost_keep_no_later_ones_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
