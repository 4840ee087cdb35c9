/* SPDX-License-Identifier: MIT */
/* test_remote_heap.c - nanvix_malloc(). The test has the pages, and looks whether blocks keep what is written to them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <nanvix/runtime/mm/manager.h>

#include "../../user/nanvix/lib/nanvix.h"

void *nanvix_malloc(size_t size);
void nanvix_free(void *ptr);

#define PAGES 64

static char pages[PAGES][RMEM_BLOCK_SIZE] __attribute__((aligned(RMEM_BLOCK_SIZE)));
static size_t given;
static int pager; /* its error */

void nanvix_lock_take(uint32_t *word)
{
    assert_int_equal(*word, 0);
    *word = 1;
}
void nanvix_lock_drop(uint32_t *word) { *word = 0; }
int nanvix_pager_begin(void) { return pager; }

void *nanvix_vmem_alloc(size_t n)
{
    if (n > PAGES - given)
        return NULL;
    given += n;
    return pages[given - n];
}

static void sizes_that_cannot_be_are_refused(void **state)
{
    (void)state;
    assert_null(nanvix_malloc(0));
    assert_null(nanvix_malloc((size_t)-1));
    assert_null(nanvix_malloc((size_t)-16));
    assert_null(nanvix_malloc(VMEM_PAGES * RMEM_BLOCK_SIZE));
    pager = -EAGAIN; /* what cannot be accessed is not given */
    assert_null(nanvix_malloc(1));
    pager = 0;
    nanvix_free(NULL);
    assert_int_equal(given, 0);
}

/* All that was given is one block again when all is freed, in whatever order. */
static void random_blocks_keep_what_is_in_them_and_become_one_again(void **state)
{
    (void)state;
    struct {
        unsigned char *at;
        size_t size;
    } block[40] = { 0 };
    srand(2);
    for (int turn = 0; turn < 30000; turn++) {
        unsigned i = (unsigned)rand() % 40;
        if (!block[i].at) {
            block[i].size = 1 + (size_t)rand() % (rand() % 8 ? 300 : 9000);
            block[i].at = nanvix_malloc(block[i].size);
            if (!block[i].at)
                continue;
            assert_int_equal((uintptr_t)block[i].at % (2 * sizeof(void *)), 0);
            assert_true(block[i].at >= (unsigned char *)pages &&
                        block[i].at + block[i].size <= (unsigned char *)pages + sizeof(pages));
            memset(block[i].at, (int)i + 1, block[i].size);
        } else {
            for (size_t n = 0; n < block[i].size; n++)
                assert_int_equal(block[i].at[n], i + 1);
            nanvix_free(block[i].at);
            block[i].at = NULL;
        }
    }
    for (int i = 0; i < 40; i++)
        nanvix_free(block[i].at);
    size_t all = given * RMEM_BLOCK_SIZE - 2 * sizeof(void *), before = given;
    void *whole = nanvix_malloc(all);
    assert_non_null(whole);
    assert_int_equal(given, before);
    assert_null(nanvix_malloc(RMEM_BLOCK_SIZE * (PAGES - given) + 1));
    nanvix_free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_cannot_be_are_refused),
        cmocka_unit_test(random_blocks_keep_what_is_in_them_and_become_one_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
