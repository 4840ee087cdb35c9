/* SPDX-License-Identifier: MIT */
/* Collective calls, barriers, and how members meet and meet anew, as one core sees them. */
#include "svm/one_core.h"

static void members_must_agree(void **state)
{
    others_call(PAGE_SIZE, SVM_LAZY, 0);
    assert_null(svm_alloc(2 * PAGE_SIZE, SVM_LAZY));
    assert_null(svm_alloc(PAGE_SIZE, SVM_STRONG));
    svm_shared()->call[OTHER].address = 1;
    assert_null(svm_alloc(PAGE_SIZE, SVM_LAZY));
    others_call((u32)SVM_SIZE, SVM_LAZY, 0);
    assert_null(svm_alloc(SVM_SIZE, SVM_LAZY)); /* all agree, but there are not so many pages left */
    others_call(0, SVM_LAZY, 0);
    assert_null(svm_alloc(0, SVM_LAZY));
    others_call(PAGE_SIZE, SVM_MODELS, 0);
    assert_null(svm_alloc(PAGE_SIZE, SVM_MODELS));
}

static void nobody_arrives(void) { signals_set(ME, 0); }

static bool has_left(void) { return svm_shared()->epoch[ME].word & 1; }

/* This member alone reads other arguments, or another member alone does: the members cannot go on together. */
static void a_call_that_fails_at_some_members_only_is_the_end_for_all(void **state)
{
    others_call(0, SVM_LAZY, (u32)(uintptr_t)lazy);
    svm_shared()->call[THIRD].bytes = 77;
    ended[OTHER] = ended[THIRD] = SVM_DONE;
    assert_int_equal(svm_change(lazy, SVM_LAZY), -EPIPE);
    assert_true(has_left());
    u16 word = word_of(ME);
    svm_shared()->epoch[ME].word = 6; /* rubbish */
    ask_as(OTHER, SVM_PING, 0, 0);
    assert_int_equal(word_of(ME), word);
}

static void a_call_that_fails_at_all_members_is_an_error(void **state)
{
    others_call(0, SVM_LAZY, (u32)(uintptr_t)lazy);
    svm_shared()->call[THIRD].bytes = 77;
    ended[OTHER] = ended[THIRD] = SVM_FAILED;
    assert_int_equal(svm_change(lazy, SVM_LAZY), -EINVAL);
    assert_false(has_left());
    others_call(0, SVM_LAZY, (u32)(uintptr_t)lazy);
    ended[OTHER] = SVM_DONE;
    assert_int_equal(svm_change(lazy, SVM_LAZY), -EPIPE);
    assert_true(has_left());
}

/* In the middle of an epoch: regions and locks are lost, and what was signalled before is nobody's. */
static void after_a_failure_the_members_meet_anew(void **state)
{
    assert_int_equal(svm_lock(5), 0);
    u32 old = signal_of_others(1000);
    u16 word = word_of(ME);
    svm_shared()->epoch[OTHER].word = svm_shared()->epoch[THIRD].word = word;
    nobody_arrives();
    svm_shared()->epoch[THIRD].word = word + 1u; /* it has failed */
    block_limit = 1;
    assert_int_equal(svm_barrier(), -ETIMEDOUT); /* at once */
    assert_int_equal(word_of(ME), word + 1);
    assert_int_equal(svm_unlock(5), -EPERM);
    assert_int_equal(svm_lock(5), -EPIPE);
    signals_set(ME, old);
    blocks = 0;
    block_limit = 6000;
    assert_int_equal(svm_barrier(), -ETIMEDOUT); /* the other one is still in the old epoch, and is dead */
    svm_shared()->epoch[OTHER].word = svm_shared()->epoch[THIRD].word = word_of(ME);
    svm_shared()->beat[OTHER].word = svm_shared()->beat[THIRD].word = 1;
    blocks = 0;
    assert_int_equal(svm_barrier(), -ETIMEDOUT); /* they meet, and signal nothing */
    others_arrive();
    assert_int_equal(svm_barrier(), 0);
    assert_int_equal(svm_shared()->lock[ME][5].taken | svm_shared()->lock[ME][5].holder, 0);
    assert_int_equal(svm_lock(5), 0);
    assert_int_equal(svm_unlock(5), 0);
    assert_false(svm_fault((uintptr_t)lazy, false));
    others_arrive();
    assert_int_equal(svm_barrier(), 0);
    assert_ptr_equal(allocate(1, SVM_LAZY), SVM_BASE);
    svm_leave(); /* the next test gets its regions again */
}

/* Core 7's next kernel has said no number yet, then says it. */
static void its_next_kernel_says_its_number(void)
{
    if (blocks == 3)
        svm_shared()->epoch[OTHER].kernel = scc_shared()->up[OTHER] = 77;
}

/* Who has ended before they met is nobody's loss; who ends after it is one at once, whether it signals or not. */
static void a_members_kernel_is_the_one_that_it_said_when_they_met(void **state)
{
    svm_leave();
    others_arrive();
    svm_shared()->epoch[OTHER].kernel = 0;
    block_limit = 10;
    meanwhile = its_next_kernel_says_its_number;
    assert_int_equal(svm_barrier(), 0);
    assert_int_equal(svm_kernel_of(OTHER), 77);
    assert_int_equal(svm_kernel_of(THIRD), THIRD + 1);
    assert_int_equal(svm_kernel_of(QUIET), 0);
    assert_int_equal(svm_barrier(), 0);
    scc_shared()->up[THIRD] += SCC_FOUND_DEAD; /* which signals to this one */
    nobody_arrives();
    blocks = 0;
    block_limit = 1;
    assert_int_equal(svm_barrier(), -ETIMEDOUT);
    assert_int_equal(svm_kernel_of(OTHER), 77); /* as long as they do not meet anew */
}

static void it_says_what_this_one_says(void)
{
    if (blocks > 3)
        others_arrive();
}

/* And what it had is still there. */
static void who_has_ended_is_not_met(void **state)
{
    svm_leave();
    others_arrive();
    svm_shared()->beat[THIRD].word = SVM_ENDED;
    assert_int_equal(svm_barrier(), -ETIMEDOUT);
    assert_int_equal(word_of(ME) % 2, 1);
    assert_true(svm_fault((uintptr_t)lazy, false));
    svm_shared()->beat[THIRD].word = 1;
}

/* Who wants to meet follows whoever is ahead, and nobody into an epoch in which that one is already. */
static void who_is_ahead_is_followed(void **state)
{
    svm_leave();
    u16 word = word_of(ME);
    svm_shared()->epoch[OTHER].word = word + 7u; /* in an epoch of others */
    svm_shared()->epoch[THIRD].word = word;
    block_limit = 20;
    meanwhile = it_says_what_this_one_says;
    nobody_arrives();
    assert_int_equal(svm_barrier(), 0);
    assert_int_equal(word_of(ME), word + 9);
    svm_leave();
    word = word_of(ME);
    svm_shared()->epoch[OTHER].word = word + 1u; /* has met this one, before this one has found out */
    svm_shared()->epoch[THIRD].word = word;
    signals_set(ME, signal_of_others(1000));
    assert_int_equal(svm_barrier(), 0);
    assert_int_equal(word_of(ME), word + 1);
}

static void lives_for_long(void)
{
    if (blocks < 20000)
        svm_shared()->beat[sent.to].word++;
    else
        others_arrive();
}

static void a_barrier_waits_for_the_slow_and_not_for_the_dead(void **state)
{
    svm_shared()->beat[OTHER].word = svm_shared()->beat[THIRD].word = 1;
    nobody_arrives();
    block_limit = 6000;
    assert_int_equal(svm_barrier(), -ETIMEDOUT);
    assert_int_equal(sent.last.ask, SVM_PING);
    blocks = 0;
    block_limit = 21000;
    meanwhile = lives_for_long;
    nobody_arrives();
    assert_int_equal(svm_barrier(), 0);
    svm_shared()->beat[OTHER].word = svm_shared()->beat[THIRD].word = SVM_ENDED;
    blocks = 0;
    block_limit = 1;
    meanwhile = NULL;
    nobody_arrives();
    assert_int_equal(svm_barrier(), -ETIMEDOUT); /* at once */
    nobody_arrives();
    svm_shared()->beat[OTHER].word = svm_shared()->beat[THIRD].word = 1;
    thread.stop = true;
    assert_int_equal(svm_barrier(), -ECANCELED);
}

/* A signal that was overwritten comes again, also that of the barrier before, which a slower member may wait for.
 * Members 2, 7 and 9: in round 0 to the next one, in round 1 to the one behind it. */
static void who_is_asked_for_a_sign_of_life_signals_again(void **state)
{
    assert_int_equal(svm_barrier(), 0);
    assert_int_equal(svm_barrier(), 0);
    u32 value[2];
    for (unsigned turn = 0; turn < 2; turn++) {
        struct svm_word(*arrived)[SCC_CORES] = svm_shared()->arrived[turn];
        value[turn] = arrived[0][OTHER].word;
        assert_int_equal(arrived[1][THIRD].word, value[turn]);
        arrived[0][OTHER].word = arrived[1][THIRD].word = 0;
        arrived[1][OTHER].word = 5;
    }
    assert_int_equal(abs((int)(value[1] - value[0])), 1);
    ask_as(OTHER, SVM_PING, 0, 0);
    for (unsigned turn = 0; turn < 2; turn++) {
        struct svm_word(*arrived)[SCC_CORES] = svm_shared()->arrived[turn];
        assert_int_equal(arrived[0][OTHER].word, value[turn]);
        assert_int_equal(arrived[1][THIRD].word, value[turn]);
        assert_int_equal(arrived[1][OTHER].word, 5); /* another member's */
    }
}

/* After 2^15 failed meetings the members are in an epoch of the same number, where nobody has signalled yet. */
static void no_signal_outlives_its_epoch(void **state)
{
    assert_int_equal(svm_barrier(), 0);
    u16 epoch = word_of(ME);
    u32 *own = &svm_shared()->arrived[0][0][OTHER].word;
    for (unsigned i = 0; i < 1u << 15; i++)
        svm_leave();
    *own = 0;
    ask_as(OTHER, SVM_PING, 0, 0);
    assert_int_equal(*own, 0); /* nor its own, which it has sent */
    svm_shared()->epoch[OTHER].word = svm_shared()->epoch[THIRD].word = word_of(ME);
    block_limit = 6000;
    assert_int_equal(svm_barrier(), -ETIMEDOUT);
    assert_int_equal(word_of(ME), (u16)(epoch + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(members_must_agree, setup),
        cmocka_unit_test_setup(a_call_that_fails_at_some_members_only_is_the_end_for_all, setup),
        cmocka_unit_test_setup(a_call_that_fails_at_all_members_is_an_error, setup),
        cmocka_unit_test_setup(after_a_failure_the_members_meet_anew, setup),
        cmocka_unit_test_setup(a_members_kernel_is_the_one_that_it_said_when_they_met, setup),
        cmocka_unit_test_setup(who_has_ended_is_not_met, setup),
        cmocka_unit_test_setup(who_is_ahead_is_followed, setup),
        cmocka_unit_test_setup(a_barrier_waits_for_the_slow_and_not_for_the_dead, setup),
        cmocka_unit_test_setup(who_is_asked_for_a_sign_of_life_signals_again, setup),
        cmocka_unit_test_setup(no_signal_outlives_its_epoch, setup),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
