/* SPDX-License-Identifier: MIT */
/* Shared virtual memory as one core sees it: the ownership of pages, models, and copies, with the words and requests of
 * other kernels right, late, silent, and wrong. */
#include "svm/one_core.h"

static void each_member_owns_its_part_first(void **state)
{
    assert_ptr_equal(strong, SVM_BASE);
    assert_ptr_equal(lazy, strong + PAGES * PAGE_SIZE);
    char *more = allocate(6, SVM_STRONG);
    unsigned first = page_of((uintptr_t)more);
    for (unsigned page = first; page < first + 6; page++) {
        assert_int_equal(svm_owner(*owner_of(page)), page < first + 2 ? ME : -1u);
        assert_int_equal(shown[page], page < first + 2 ? 2 : 0);
    }
}

static void the_owner_hides_a_page_before_it_says_whose_it_is(void **state)
{
    u32 word = *owner_of(0);
    ask_as(OTHER, SVM_WANT, 0, word);
    assert_int_equal(shown[0], 0);
    assert_int_equal(word_when_hidden, word);
    assert_int_equal(svm_owner(*owner_of(0)), OTHER);
    assert_int_not_equal(*owner_of(0) & ~OWNER_CORE, word & ~OWNER_CORE);
    assert_int_equal(svm_count.given, 1);
    ask_as(THIRD, SVM_WANT, 0, word); /* too late: it asks the other one */
    assert_int_equal(svm_owner(*owner_of(0)), OTHER);
    assert_int_equal(svm_count.late, 1);
}

static void wrong_requests_are_dropped_and_counted(void **state)
{
    u32 word = *owner_of(0);
    static const struct {
        unsigned from, ask;
        u32 page;
    } wrong[] = { { ME, SVM_WANT, 0 },           { QUIET, SVM_WANT, 0 },     { OTHER, SVM_WANT, SVM_PAGES },
                  { OTHER, SVM_WANT, ~0u },      { OTHER, SVM_WANT, PAGES }, { OTHER, 4, 0 },
                  { OTHER, SVM_WANT, 1u << 31 }, { OTHER, SVM_READ, 0 } };
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        ask_as(wrong[i].from, wrong[i].ask, wrong[i].page, word);
        assert_int_equal(svm_count.refused, i + 1);
    }
    struct mail m = { .from = OTHER, .bytes = 4 };
    svm_serve(&m);
    assert_int_equal(svm_count.refused, ARRAY_SIZE(wrong) + 1);
    ask_as(OTHER, SVM_WANT, 3, *owner_of(3)); /* its own page */
    ask_as(OTHER, SVM_WANT, 0, word + OWNER_STEP);
    assert_int_equal(svm_count.late, 2);
    assert_int_equal(svm_count.given, 0);
    assert_int_equal(*owner_of(0), word);
    assert_int_equal(shown[0], 2);
}

static void the_other_gives(void)
{
    *owner_of(sent.last.page) = svm_owned_by(sent.last.word, ME);
    meanwhile = NULL;
}

static void a_fault_asks_the_owner_and_takes_the_page(void **state)
{
    block_limit = 1;
    meanwhile = the_other_gives;
    u32 word = *owner_of(3);
    assert_true(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE + 8, false));
    assert_int_equal(sent.n, 1);
    assert_int_equal(sent.to, OTHER);
    assert_int_equal(sent.last.ask, SVM_WANT);
    assert_int_equal(sent.last.page, 3);
    assert_int_equal(sent.last.word, word);
    assert_int_equal(shown[3], 2);
    assert_int_equal(host_invalidates, 1);
    assert_int_equal(svm_count.taken, 1);
    assert_int_equal(svm_count.faults, 1);
}

static void the_page_goes_on(void)
{
    *owner_of(3) = svm_owned_by(*owner_of(3), THIRD);
    meanwhile = the_other_gives;
}

static void a_fault_follows_a_page_that_went_on(void **state)
{
    block_limit = 2;
    meanwhile = the_page_goes_on;
    assert_true(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, true));
    assert_int_equal(sent.n, 2);
    assert_int_equal(sent.to, THIRD);
    assert_int_equal(svm_owner(sent.last.word), THIRD);
    assert_int_equal(svm_count.taken, 1);
}

/* Until the thread that waits has the page and HOLD_NS beyond: then who asked meanwhile gets it. */
static void given_and_asked_for_at_once(void)
{
    the_other_gives();
    ask_as(THIRD, SVM_WANT, 3, *owner_of(3));
    assert_int_equal(svm_owner(*owner_of(3)), ME);
}

static void a_page_stays_until_its_access_was_made(void **state)
{
    block_limit = 1;
    meanwhile = given_and_asked_for_at_once;
    assert_true(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, true));
    assert_int_equal(shown[3], 2);
    ask_as(OTHER, SVM_WANT, 3, *owner_of(3));
    assert_int_equal(shown[3], 2);
    assert_int_equal(svm_count.held, 2);
    assert_true(timer->armed);
    assert_in_range(timer->deadline, host_now, host_now + 1000000);
    host_now = timer->deadline;
    timer->fn(timer->arg);
    assert_int_equal(shown[3], 0);
    assert_int_equal(svm_count.given, 1);
    assert_int_equal(svm_owner(*owner_of(3)), OTHER); /* the lower number; the third's is late now */
    assert_int_equal(svm_count.late, 1);
}

static void a_dead_owner_is_an_error(void **state)
{
    svm_shared()->beat[OTHER].word = 1;
    block_limit = 6000;
    assert_false(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, true));
    assert_in_range(blocks, 1000, 6000);
    assert_int_equal(shown[3], 0);
    assert_int_equal(svm_count.faults, 0);
    assert_int_equal(svm_shared()->beat[ME].word, SVM_ENDED);
    sent.answer = -EAGAIN; /* it did not even take the last request */
    blocks = 0;
    assert_false(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, true));
    sent.answer = -ENODEV;
    blocks = 0;
    assert_false(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, true));
    assert_int_equal(blocks, 0);
}

/* Which is up and answers, but not for the page. */
static void a_page_whose_owner_was_reset_is_an_error_at_once(void **state)
{
    scc_shared()->up[OTHER]++;
    block_limit = 1;
    assert_false(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, true));
}

static void a_request_for_what_was_awaited_in_vain_is_served(void **state)
{
    block_limit = 10;
    thread.stop = true;
    assert_false(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, true));
    thread.stop = false;
    *owner_of(3) = svm_owned_by(*owner_of(3), ME);
    ask_as(THIRD, SVM_WANT, 3, *owner_of(3));
    assert_int_equal(svm_owner(*owner_of(3)), THIRD); /* no longer awaited */
}

static void a_page_that_nobody_can_own_is_an_error(void **state)
{
    static const u32 words[] = { 0, 0x100, 0xff, SCC_CORES + 1, ~0u, 0x5500 + QUIET + 1 };
    for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
        *owner_of(3) = words[i];
        assert_false(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, true));
        assert_int_equal(sent.n, 0);
    }
}

static void each_model_shows_what_it_may(void **state)
{
    assert_true(svm_fault((uintptr_t)lazy, false));
    assert_int_equal(shown[page_of((uintptr_t)lazy)], 2);
    assert_true(svm_fault((uintptr_t)frozen, false));
    assert_int_equal(shown[page_of((uintptr_t)frozen)], 1);
    assert_false(svm_fault((uintptr_t)frozen, true));
    assert_false(svm_fault(SVM_BASE + SVM_SIZE - 1, false)); /* never allocated */
    assert_false(svm_fault(SVM_BASE + SVM_SIZE, false));
    assert_false(svm_fault(SVM_BASE - 1, true));
    assert_false(svm_fault(0, true));
}

static void a_region_changes_its_model(void **state)
{
    others_call(0, SVM_READ_ONLY, (u32)(uintptr_t)lazy);
    assert_int_equal(svm_change(lazy, SVM_READ_ONLY), 0);
    assert_int_equal(shown[page_of((uintptr_t)lazy)], 0);
    others_call(0, SVM_LAZY, (u32)(uintptr_t)lazy);
    assert_int_equal(svm_change(lazy, SVM_LAZY), 0);
    assert_true(svm_fault((uintptr_t)lazy, true));
    others_call(0, SVM_LAZY, (u32)(uintptr_t)lazy + 1);
    assert_int_equal(svm_change(lazy + 1, SVM_LAZY), -EINVAL);
    others_call(0, SVM_MODELS, (u32)(uintptr_t)lazy);
    assert_int_equal(svm_change(lazy, SVM_MODELS), -EINVAL);
    others_call(0, SVM_READ_ONLY, (u32)(uintptr_t)lazy);
    assert_int_equal(svm_change(lazy, SVM_READ_ONLY), 0);
    assert_false(svm_fault((uintptr_t)lazy, true));
}

/* Read-only for a while: no page moves, whoever reads it, and what others read is unmapped before anybody writes. */
static void a_page_keeps_its_owner_while_all_read_it(void **state)
{
    u32 words[PAGES];
    *owner_of(1) = 0; /* nobody's */
    memcpy(words, owner_of(0), sizeof(words));
    assert_true(svm_fault((uintptr_t)strong, true));
    others_call(0, SVM_READ_ONLY, (u32)(uintptr_t)strong);
    assert_int_equal(svm_change(strong, SVM_READ_ONLY), 0);
    assert_int_equal(shown[0], 1);
    assert_true(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, false));
    assert_int_equal(shown[3], 1);
    assert_int_equal(sent.n, 0);
    ask_as(OTHER, SVM_WANT, 0, words[0]);
    assert_int_equal(svm_count.refused, 1);
    assert_memory_equal(owner_of(0), words, sizeof(words));
    others_call(0, SVM_STRONG, (u32)(uintptr_t)strong);
    assert_int_equal(svm_change(strong, SVM_STRONG), 0);
    assert_int_equal(shown[0], 2);
    assert_int_equal(shown[3], 0);
    assert_int_equal(svm_owner(*owner_of(1)), ME); /* in its part */
    words[1] = *owner_of(1);
    assert_memory_equal(owner_of(0), words, sizeof(words));
    assert_int_equal(svm_next_shown(0), 0);
    assert_int_equal(svm_next_shown(SVM_PAGES - 1), SVM_PAGES);
    assert_int_equal(svm_next_shown(SVM_PAGES), SVM_PAGES);
}

/* Written by its owner until another core reads it; then by nobody. */
static void a_page_is_written_until_it_is_read(void **state)
{
    unsigned page = page_of((uintptr_t)once);
    *owner_of(page) = svm_owned_by(0, ME);
    assert_true(svm_fault((uintptr_t)once, true));
    assert_int_equal(shown[page], 2);
    host_now += 1000000;
    u32 word = *owner_of(page);
    ask_as(OTHER, SVM_READ, page, word);
    assert_int_equal(shown[page], 1); /* before the word says so */
    assert_int_equal(word_when_shown, word);
    assert_int_equal(svm_owner(*owner_of(page)), OWNER_ALL);
    word = *owner_of(page);
    ask_as(THIRD, SVM_WANT, page, word); /* nobody has it any more */
    ask_as(THIRD, SVM_READ, page, word);
    assert_int_equal(*owner_of(page), word);
    assert_int_equal(svm_count.late, 2);
    assert_true(svm_fault((uintptr_t)once, false));
    assert_int_equal(shown[page], 1);
    assert_false(svm_fault((uintptr_t)once, true));
    assert_int_equal(sent.n, 0);
}

static void the_other_publishes(void)
{
    *owner_of(sent.last.page) = svm_owned_by(sent.last.word, OWNER_ALL);
    meanwhile = NULL;
}

static void a_read_of_a_page_written_once_ends_its_writing(void **state)
{
    unsigned page = page_of((uintptr_t)once) + 1;
    *owner_of(page) = svm_owned_by(0, OTHER);
    block_limit = 1;
    meanwhile = the_other_publishes;
    assert_true(svm_fault((uintptr_t)once + PAGE_SIZE, false));
    assert_int_equal(sent.last.ask, SVM_READ);
    assert_int_equal(shown[page], 1);
    assert_int_equal(host_invalidates, 1);
}

static void a_write_of_a_page_that_nobody_has_read_moves_it(void **state)
{
    unsigned page = page_of((uintptr_t)once) + 1;
    *owner_of(page) = svm_owned_by(0, OTHER);
    block_limit = 1;
    meanwhile = the_other_gives;
    assert_true(svm_fault((uintptr_t)once + PAGE_SIZE, true));
    assert_int_equal(sent.last.ask, SVM_WANT);
    assert_int_equal(shown[page], 2);
    host_now += 1000000;
    ask_as(THIRD, SVM_WANT, page, *owner_of(page));
    assert_int_equal(shown[page], 0);
    assert_int_equal(svm_owner(*owner_of(page)), THIRD);
}

static u8 *home(const char *at) { return (u8 *)(SCC_SVM_PAGES + ((uintptr_t)at - SVM_BASE)); }

static void a_release_stores_the_bytes_that_differ(void **state)
{
    unsigned page = page_of((uintptr_t)twins);
    memset(home(twins), 7, PAGE_SIZE);
    assert_true(svm_fault((uintptr_t)twins, false));
    assert_true(shown_copy[page]);
    assert_int_equal(shown[page], 1);
    assert_int_equal(twins[5], 7);
    assert_true(svm_fault((uintptr_t)twins, true));
    assert_int_equal(shown[page], 2);
    twins[4] = 1;
    twins[9] = 2;
    twins[10] = 7;                        /* as it was */
    home(twins)[5] = home(twins)[10] = 8; /* another core's, meanwhile */
    svm_release();
    assert_memory_equal(home(twins) + 4, "\1\10\7\7\7\2\10\7", 8);
    assert_int_equal(svm_count.merged, 2);
    assert_int_equal(svm_count.copied, 1);
    assert_true(shown_copy[page]);
    assert_int_equal(shown[page], 1); /* the next store makes a twin again */
    assert_int_equal(twins[5], 7);    /* not acquired */
    svm_release();
    assert_int_equal(svm_count.merged, 2);
}

static void an_acquire_forgets_copies_and_loses_no_store(void **state)
{
    svm_acquire();
    assert_true(svm_fault((uintptr_t)twins + PAGE_SIZE, true)); /* the first access is a store */
    twins[PAGE_SIZE] = 3;
    home(twins)[PAGE_SIZE + 1] = 4;
    host_invalidates = 0;
    svm_acquire();
    assert_int_equal(host_invalidates, 1);
    assert_int_equal(invalidates_when_hidden, 1); /* a copy that is made next has nothing of before */
    assert_int_equal(home(twins)[PAGE_SIZE], 3);
    assert_int_equal(shown[page_of((uintptr_t)twins) + 1], 0);
    assert_true(svm_fault((uintptr_t)twins + PAGE_SIZE, false));
    assert_memory_equal(twins + PAGE_SIZE, "\3\4", 2);
    svm_acquire();
}

static void a_region_can_change_to_copies_and_back(void **state)
{
    others_call(0, SVM_TWINS, (u32)(uintptr_t)frozen);
    assert_int_equal(svm_change(frozen, SVM_TWINS), 0);
    assert_true(svm_fault((uintptr_t)frozen, true));
    assert_true(shown_copy[page_of((uintptr_t)frozen)]);
    frozen[3] = 9;
    others_call(0, SVM_READ_ONLY, (u32)(uintptr_t)frozen);
    assert_int_equal(svm_change(frozen, SVM_READ_ONLY), 0);
    assert_true(svm_fault((uintptr_t)frozen, false));
    assert_false(shown_copy[page_of((uintptr_t)frozen)]);
    assert_int_equal(frozen[3], 9);
}

static void no_memory_for_copies_is_every_members_error(void **state)
{
    u64 before = freed;
    no_memory = true;
    others_call(PAGE_SIZE, SVM_TWINS, 0);
    assert_null(svm_alloc(PAGE_SIZE, SVM_TWINS));
    assert_int_equal(svm_shared()->call[ME].bytes, 0); /* unlike what the others say, so they fail, too */
    others_call(0, SVM_TWINS, (u32)(uintptr_t)lazy);
    assert_int_equal(svm_change(lazy, SVM_TWINS), -ENOMEM);
    assert_int_equal(svm_shared()->call[ME].model, SVM_MODELS);
    no_memory = false;
    others_call(PAGE_SIZE, SVM_LAZY, 0);
    assert_null(svm_alloc(PAGE_SIZE, SVM_TWINS)); /* they want something else */
    assert_int_equal(freed, before + 2);
}

static void a_strong_page_is_never_everybodys(void **state)
{
    *owner_of(3) = svm_owned_by(*owner_of(3), OWNER_ALL);
    assert_false(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, false));
    assert_int_equal(shown[3], 0);
}

/* Any bytes in all words that the members share, and any requests: nothing but this core's own pages is ever shown, and
 * every call ends. */
static void rubbish_does_no_harm(void **state)
{
    srandom(1);
    for (unsigned round = 0; round < 300; round++) {
        u8 *words = (u8 *)svm_shared();
        for (size_t i = 0; i < sizeof(struct svm_shared); i++)
            words[i] = (u8)(random() >> 8);
        for (unsigned i = 0; i < 50; i++) {
            u32 page = (u32)random() % (2 * PAGES), word = random() % 4 ? *owner_of(page) : (u32)random();
            if (random() % 4)
                *owner_of(page) = word = (word & ~OWNER_CORE) | (ME + 1);
            ask_as((unsigned)random() % SCC_CORES, (u32)random() % 5, random() % 8 ? page : (u32)random(), word);
        }
        blocks = 0;
        block_limit = 6000;
        unsigned page = (unsigned)random() % PAGES;
        bool served = svm_fault((uintptr_t)strong + page * PAGE_SIZE, true);
        assert_true(!served || (shown[page] == 2 && svm_owner(*owner_of(page)) == ME));
        block_limit = ~0u;
        svm_lock((unsigned)random() % SVM_LOCKS);
        svm_unlock((unsigned)random() % SVM_LOCKS);
        for (page = PAGES + 15; page < SVM_PAGES; page++)
            assert_int_equal(shown[page], 0);
    }
    memset(svm_shared(), 0, sizeof(struct svm_shared));
}

/* After 2^24 changes, some minutes: no word is 0, which says that there is no page, and none names another owner. */
static void an_owner_is_named_over_the_end_of_the_count_of_changes(void **state)
{
    for (unsigned core = 0; core < SCC_CORES; core++) {
        u32 last = 0xfffffe00u | (SCC_CORES - core);
        for (unsigned n = 0; n < 4; n++) {
            u32 word = svm_owned_by(last, core);
            assert_true(svm_owner(word) == core && (word ^ last) & ~OWNER_CORE);
            last = word;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_member_owns_its_part_first, setup),
        cmocka_unit_test(an_owner_is_named_over_the_end_of_the_count_of_changes),
        cmocka_unit_test_setup(the_owner_hides_a_page_before_it_says_whose_it_is, setup),
        cmocka_unit_test_setup(wrong_requests_are_dropped_and_counted, setup),
        cmocka_unit_test_setup(a_fault_asks_the_owner_and_takes_the_page, setup),
        cmocka_unit_test_setup(a_fault_follows_a_page_that_went_on, setup),
        cmocka_unit_test_setup(a_page_stays_until_its_access_was_made, setup),
        cmocka_unit_test_setup(a_dead_owner_is_an_error, setup),
        cmocka_unit_test_setup(a_page_whose_owner_was_reset_is_an_error_at_once, setup),
        cmocka_unit_test_setup(a_request_for_what_was_awaited_in_vain_is_served, setup),
        cmocka_unit_test_setup(a_page_that_nobody_can_own_is_an_error, setup),
        cmocka_unit_test_setup(each_model_shows_what_it_may, setup),
        cmocka_unit_test_setup(a_region_changes_its_model, setup),
        cmocka_unit_test_setup(a_page_keeps_its_owner_while_all_read_it, setup),
        cmocka_unit_test_setup(a_page_is_written_until_it_is_read, setup),
        cmocka_unit_test_setup(a_read_of_a_page_written_once_ends_its_writing, setup),
        cmocka_unit_test_setup(a_write_of_a_page_that_nobody_has_read_moves_it, setup),
        cmocka_unit_test_setup(a_strong_page_is_never_everybodys, setup),
        cmocka_unit_test_setup(a_release_stores_the_bytes_that_differ, setup),
        cmocka_unit_test_setup(an_acquire_forgets_copies_and_loses_no_store, setup),
        cmocka_unit_test_setup(a_region_can_change_to_copies_and_back, setup),
        cmocka_unit_test_setup(no_memory_for_copies_is_every_members_error, setup),
        cmocka_unit_test_setup(rubbish_does_no_harm, setup),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
