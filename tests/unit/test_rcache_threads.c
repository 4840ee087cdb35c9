/* SPDX-License-Identifier: MIT */
/* test_rcache_threads.c - the cache of remote pages, used by threads at once: what is got without a lock never changes
 * under its holder, and nothing that was written is lost. With gcc's thread sanitizer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

/* What is in line in a program: others go on before each step of it now and then. */
static void let_others_go_on(void);
#define __atomic_fetch_add(word, n, order) (let_others_go_on(), __atomic_fetch_add(word, n, order))

#include <nanvix/runtime/mm/cache.h>

#include "../../user/nanvix/lib/nanvix.h"

#define THREADS 4
#define PAGES   (RCACHE_LENGTH + 8)
#define ROUNDS  20000

/* What is volatile is read and written by several at once, and orders nothing. */
#define VOLATILE(name)                                                                                                 \
    void __tsan_volatile_##name(void *at);                                                                             \
    void __tsan_volatile_##name(void *at) {}
VOLATILE(read1)
VOLATILE(write1)
VOLATILE(read8)
VOLATILE(write8)

static unsigned remote[PAGES + 1][RMEM_BLOCK_SIZE / sizeof(unsigned)];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned wrong, refused;

static void let_others_go_on(void)
{
    static _Thread_local unsigned seed;
    if (rand_r(&seed) % 16 == 0)
        sched_yield();
}

/* No server is lost, so a page without room is all that goes wrong. */
int nanvix_answer(int result)
{
    if (result != -EBUSY)
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    return -1;
}

void nanvix_lock_take(uint32_t *word)
{
    (void)word;
    pthread_mutex_lock(&mutex);
}

void nanvix_lock_drop(uint32_t *word)
{
    (void)word;
    pthread_mutex_unlock(&mutex);
}

rpage_t nanvix_rmem_alloc(void) { return RMEM_NULL; }

int nanvix_rmem_free(rpage_t page)
{
    (void)page;
    return 0;
}

size_t nanvix_rmem_read(rpage_t page, void *buf)
{
    memcpy(buf, remote[page], RMEM_BLOCK_SIZE);
    return RMEM_BLOCK_SIZE;
}

/* A page that is held may be changed by its holder while a flush writes it back, and is written back again later. So
 * the sanitizer does not look at this; it would at memcpy(), where the compiler makes a call of it. */
__attribute__((no_sanitize("thread"))) int nanvix_rmem_write_back(rpage_t page, const void *buf)
{
    for (unsigned i = 0; i < RMEM_BLOCK_SIZE / sizeof(unsigned); i++)
        remote[page][i] = ((const volatile unsigned *)buf)[i];
    sched_yield(); /* others want the page meanwhile */
    return 0;
}

/* Each thread writes to pages of its own, and looks at all: word 0 is the page's number, word 1 how often it was
 * changed. */
static void *use(void *argument)
{
    unsigned self = (unsigned)(uintptr_t)argument, seed = self, changes[PAGES + 1] = { 0 };
    for (unsigned i = 0; i < ROUNDS; i++) {
        rpage_t page = 1 + (rpage_t)rand_r(&seed) % PAGES;
        bool changes_it = page % THREADS == self && rand_r(&seed) % 2;
        unsigned *at = changes_it ? nanvix_rcache_get(page) : (unsigned *)nanvix_rcache_peek(page);
        bool is_right = at && at[0] == page && (page % THREADS != self || at[1] == changes[page]);
        if (at && changes_it)
            at[1] = ++changes[page];
        if (nanvix_rcache_put(page, rand_r(&seed) % 16 == 0) || !is_right)
            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
        if (rand_r(&seed) % 256 == 0)
            nanvix_rcache_flush();
        /* A put of what is not here. */
        if (rand_r(&seed) % 16 == 0 && nanvix_rcache_put(PAGES + 1, 0) == -EFAULT)
            __atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
    }
    nanvix_rcache_flush();
    for (rpage_t page = self ? self : THREADS; page <= PAGES; page += THREADS) {
        pthread_mutex_lock(&mutex);
        bool is_written = remote[page][1] == changes[page];
        pthread_mutex_unlock(&mutex);
        if (!is_written)
            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void run(int policy)
{
    pthread_t thread[THREADS];
    struct rcache_stats before, after;
    for (rpage_t page = 1; page <= PAGES; page++) {
        assert_int_equal(nanvix_rcache_free(page), 0);
        remote[page][0] = (unsigned)page;
        remote[page][1] = 0;
    }
    assert_int_equal(nanvix_rcache_select_replacement_policy(policy), 0);
    assert_int_equal(nanvix_rcache_stats(&before), 0);
    wrong = refused = 0;
    for (uintptr_t t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, use, (void *)t), 0);
    for (unsigned t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(thread[t], NULL), 0);
    assert_int_equal(nanvix_rcache_stats(&after), 0);
    assert_int_equal(wrong, 0);
    assert_true(refused > 0);
    assert_int_equal(after.ngets - before.ngets, THREADS * ROUNDS);
    assert_int_equal(after.nputs - before.nputs, THREADS * ROUNDS);
    assert_true(after.nmisses > before.nmisses);
    assert_true(policy == RCACHE_BYPASS || after.nhits > before.nhits);   /* BYPASS: only while another one holds it */
    assert_int_equal(nanvix_rcache_select_replacement_policy(policy), 0); /* nobody holds one */
}

static void threads_share_pages_under_each_policy(void **state)
{
    (void)state;
    for (int policy = RCACHE_BYPASS; policy <= RCACHE_AGING; policy++)
        run(policy);
}

/* Get and put one page again and again. */
static void *want(void *argument)
{
    for (unsigned i = 0; i < ROUNDS; i++)
        if (nanvix_rcache_peek((rpage_t)(uintptr_t)argument))
            nanvix_rcache_put((rpage_t)(uintptr_t)argument, 0);
    return NULL;
}

/* All other places are held. Who gets a page while the other one is held is told so, also if that is put meanwhile. */
static void two_that_want_the_last_place_hear_that_all_are_held(void **state)
{
    (void)state;
    pthread_t other;
    assert_int_equal(nanvix_rcache_select_replacement_policy(RCACHE_FIFO), 0);
    for (rpage_t page = 1; page < RCACHE_LENGTH; page++)
        assert_non_null(nanvix_rcache_peek(page));
    wrong = 0;
    assert_int_equal(pthread_create(&other, NULL, want, (void *)(uintptr_t)RCACHE_LENGTH), 0);
    want((void *)(uintptr_t)(RCACHE_LENGTH + 1));
    assert_int_equal(pthread_join(other, NULL), 0);
    for (rpage_t page = 1; page < RCACHE_LENGTH; page++)
        assert_int_equal(nanvix_rcache_put(page, 0), 0);
    assert_int_equal(wrong, 0);
}

static void *put_what_nobody_holds(void *argument)
{
    for (unsigned i = 0; i < ROUNDS; i++)
        if (nanvix_rcache_put((rpage_t)(uintptr_t)argument, 0) != -EFAULT)
            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* Its count is less than none for moments, and none afterwards. */
static void two_that_put_what_nobody_holds_are_both_refused(void **state)
{
    (void)state;
    pthread_t other;
    assert_non_null(nanvix_rcache_peek(1));
    assert_int_equal(nanvix_rcache_put(1, 0), 0);
    wrong = 0;
    assert_int_equal(pthread_create(&other, NULL, put_what_nobody_holds, (void *)(uintptr_t)1), 0);
    put_what_nobody_holds((void *)(uintptr_t)1);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(wrong, 0);
    assert_int_equal(nanvix_rcache_select_replacement_policy(RCACHE_FIFO), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_pages_under_each_policy),
        cmocka_unit_test(two_that_want_the_last_place_hear_that_all_are_held),
        cmocka_unit_test(two_that_put_what_nobody_holds_are_both_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
