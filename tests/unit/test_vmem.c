/* SPDX-License-Identifier: MIT */
/* test_vmem.c - remote memory by its addresses. The test is the cache, which counts who holds a page, and the page
 * tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <nanvix/runtime/mm/manager.h>

#include "../../user/nanvix/lib/nanvix.h"

#define PAGES 40 /* of the server */

static char contents[PAGES + 1][RMEM_BLOCK_SIZE];
static unsigned held[PAGES + 1];
static bool has[PAGES + 1], dead, unmappable;
static struct {
    vaddr_t at, from;
} mapped[VMEM_SHOWN];

static int error; /* what errno is */

int nanvix_answer(int result)
{
    error = -result;
    return -1;
}

void nanvix_lock_take(uint32_t *word)
{
    assert_int_equal(*word, 0);
    *word = 1;
}
void nanvix_lock_drop(uint32_t *word) { *word = 0; }

rpage_t nanvix_rcache_alloc(void)
{
    for (rpage_t page = 1; page <= PAGES && !dead; page++)
        if (!has[page]) {
            has[page] = true;
            memset(contents[page], 0, RMEM_BLOCK_SIZE);
            return page;
        }
    return RMEM_NULL;
}

int nanvix_rcache_free(rpage_t page)
{
    assert_true(page != RMEM_NULL && has[page] && !held[page]);
    has[page] = false;
    return dead ? -EIO : 0;
}

struct __rcache_table __rcache; /* no page is open, so all are asked for here */

void *__rcache_get_any(rpage_t page, bool changes)
{
    (void)changes;
    assert_true(page != RMEM_NULL && has[page]);
    if (dead)
        return NULL;
    held[page]++;
    return contents[page];
}

int __rcache_put_any(rpage_t page, int strike)
{
    (void)strike;
    assert_true(held[page]);
    held[page]--;
    return 0;
}

static unsigned find(vaddr_t at)
{
    unsigned i = 0;
    while (i < VMEM_SHOWN && mapped[i].at != at)
        i++;
    return i;
}

int nanvix_page_show(vaddr_t from, vaddr_t at)
{
    unsigned i = find(0);
    assert_true(i < VMEM_SHOWN && find(at) == VMEM_SHOWN);
    if (unmappable)
        return -ENOMEM;
    mapped[i].at = at;
    mapped[i].from = from;
    return 0;
}

int nanvix_page_hide(vaddr_t at)
{
    assert_true(at && find(at) < VMEM_SHOWN);
    mapped[find(at)].at = 0;
    return 0;
}

static unsigned shown(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < VMEM_SHOWN; i++)
        n += mapped[i].at != 0;
    return n;
}

static unsigned pages_held(void)
{
    unsigned n = 0;
    for (unsigned i = 1; i <= PAGES; i++)
        n += held[i];
    return n;
}

static unsigned pages_taken(void)
{
    unsigned n = 0;
    for (unsigned i = 1; i <= PAGES; i++)
        n += has[i];
    return n;
}

static void nothing_is_left(void)
{
    assert_int_equal(shown(), 0);
    assert_int_equal(pages_held(), 0);
    assert_int_equal(pages_taken(), 0);
}

static void a_page_is_shown_where_it_is_accessed_and_the_first_one_makes_room(void **state)
{
    (void)state;
    char *at = nanvix_vmem_alloc(VMEM_SHOWN + 1);
    assert_ptr_equal(at, (void *)VMEM_BASE);
    for (unsigned i = 0; i <= VMEM_SHOWN; i++) {
        assert_int_equal(nanvix_rfault((vaddr_t)at + i * RMEM_BLOCK_SIZE + 5), 0);
        assert_int_equal(nanvix_rfault((vaddr_t)at + i * RMEM_BLOCK_SIZE), 0); /* another thread's, of the same page */
        assert_int_equal(pages_held(), shown());
    }
    assert_int_equal(shown(), VMEM_SHOWN);
    assert_int_equal(find((vaddr_t)at), VMEM_SHOWN);
    assert_int_equal(nanvix_rfault((vaddr_t)at), 0);
    assert_int_equal(find((vaddr_t)at + RMEM_BLOCK_SIZE), VMEM_SHOWN);
    for (unsigned i = 0; i < VMEM_SHOWN; i++)
        assert_true(mapped[i].from == (vaddr_t)contents[(mapped[i].at - (vaddr_t)at) / RMEM_BLOCK_SIZE + 1]);
    assert_int_equal(nanvix_vmem_free(at), 0);
    nothing_is_left();
}

static void what_is_no_allocation_is_refused(void **state)
{
    (void)state;
    char back[2];
    assert_null(nanvix_vmem_alloc(0));
    assert_null(nanvix_vmem_alloc(VMEM_PAGES + 1));
    assert_null(nanvix_vmem_alloc((size_t)-1));
    assert_null(nanvix_vmem_alloc(PAGES + 1)); /* more than the server has: none is kept */
    nothing_is_left();
    char *at = nanvix_vmem_alloc(2);
    assert_int_equal(nanvix_vmem_free(at + 1), -EFAULT);
    assert_int_equal(nanvix_vmem_free(at + RMEM_BLOCK_SIZE), -EFAULT); /* in its middle */
    assert_int_equal(nanvix_vmem_free(NULL), -EFAULT);
    assert_int_equal(nanvix_rfault((vaddr_t)at + 2 * RMEM_BLOCK_SIZE), -EFAULT);
    assert_int_equal(nanvix_rfault(VMEM_BASE - 1), -EFAULT);
    assert_int_equal(nanvix_rfault(0), -EFAULT);
    error = 0;
    assert_int_equal(nanvix_vmem_read(NULL, at, 1), 0);
    assert_int_equal(error, EINVAL);
    error = 0;
    assert_int_equal(nanvix_vmem_read(back, at, 0), 0);
    assert_int_equal(nanvix_vmem_read(back, NULL, 1), 0);
    assert_int_equal(nanvix_vmem_write(at, NULL, 1), 0);
    assert_int_equal(error, EINVAL);
    assert_int_equal(nanvix_vmem_read(back, at + RMEM_BLOCK_SIZE - 1, 2), 0);
    assert_int_equal(nanvix_vmem_read(back, at + 1, (size_t)-1), 0);
    assert_int_equal(nanvix_vmem_write(at + RMEM_BLOCK_SIZE - 1, "x", 1), 1);
    assert_int_equal(nanvix_vmem_read(back, at + RMEM_BLOCK_SIZE - 1, 1), 1);
    assert_int_equal(back[0], 'x');
    assert_int_equal(nanvix_vmem_free(at), 0);
    assert_int_equal(nanvix_vmem_free(at), -EFAULT);
    nothing_is_left();
}

static void a_server_that_is_lost_costs_its_pages_and_no_more(void **state)
{
    (void)state;
    char *at = nanvix_vmem_alloc(3), back;
    assert_int_equal(nanvix_rfault((vaddr_t)at), 0);
    dead = true;
    assert_int_equal(nanvix_rfault((vaddr_t)at), 0); /* it is here */
    assert_int_equal(nanvix_rfault((vaddr_t)at + RMEM_BLOCK_SIZE), -EIO);
    assert_int_equal(nanvix_vmem_read(&back, at, 1), 0);
    assert_null(nanvix_vmem_alloc(1));
    assert_int_equal(nanvix_vmem_free(at), -EIO);
    dead = false;
    nothing_is_left();
    at = nanvix_vmem_alloc(1);
    assert_ptr_equal(at, (void *)VMEM_BASE); /* its addresses are free, too */
    unmappable = true;
    assert_int_equal(nanvix_rfault((vaddr_t)at), -ENOMEM);
    unmappable = false;
    assert_int_equal(pages_held(), 0);
    assert_int_equal(nanvix_vmem_free(at), 0);
}

/* 20,000 calls, whose allocations a list knows. */
static void random_calls_do_what_a_list_says(void **state)
{
    (void)state;
    struct {
        char *at;
        size_t pages;
    } known[8] = { 0 };
    srand(1);
    for (int turn = 0; turn < 20000; turn++) {
        unsigned i = (unsigned)rand() % 8;
        size_t page = known[i].pages ? (size_t)rand() % known[i].pages : 0;
        char *at = known[i].at + page * RMEM_BLOCK_SIZE, value = (char)(i + 16 * page), back;
        switch (rand() % 4) {
        case 0:
            if (known[i].pages)
                break;
            known[i].pages = 1 + (size_t)rand() % 6;
            known[i].at = nanvix_vmem_alloc(known[i].pages);
            if (!known[i].at) /* full */
                known[i].pages = 0;
            for (size_t p = 0; p < known[i].pages; p++)
                assert_int_equal(nanvix_vmem_write(known[i].at + p * RMEM_BLOCK_SIZE, &(char){ (char)(i + 16 * p) }, 1),
                                 1);
            break;
        case 1: assert_int_equal(nanvix_rfault((vaddr_t)at), known[i].pages ? 0 : -EFAULT); break;
        case 2:
            assert_int_equal(nanvix_vmem_read(&back, at, 1), known[i].pages ? 1 : 0);
            assert_true(!known[i].pages || back == value);
            break;
        default:
            if (!known[i].pages || rand() % 4)
                break;
            assert_int_equal(nanvix_vmem_free(known[i].at), 0);
            known[i].at = NULL;
            known[i].pages = 0;
        }
        assert_int_equal(pages_held(), shown());
    }
    for (int i = 0; i < 8; i++)
        if (known[i].pages)
            assert_int_equal(nanvix_vmem_free(known[i].at), 0);
    nothing_is_left();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_shown_where_it_is_accessed_and_the_first_one_makes_room),
        cmocka_unit_test(what_is_no_allocation_is_refused),
        cmocka_unit_test(a_server_that_is_lost_costs_its_pages_and_no_more),
        cmocka_unit_test(random_calls_do_what_a_list_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
