/* SPDX-License-Identifier: MIT */
/* Locks of shared virtual memory, as one core sees them. */
#include "svm/one_core.h"

static void a_lock_has_one_holder(void **state)
{
    struct svm_lock *l = &svm_shared()->lock[ME][5];
    assert_int_equal(svm_lock(SVM_LOCKS), -EINVAL);
    assert_int_equal(svm_unlock(SVM_LOCKS), -EINVAL);
    assert_int_equal(svm_unlock(5), -EPERM);
    assert_int_equal(svm_lock(5), 0);
    assert_int_equal(l->holder, ME + 1);
    assert_int_equal(svm_lock(5), -EBUSY);
    assert_int_equal(svm_unlock(5), 0);
    *l = (struct svm_lock){ .taken = 1, .holder = OTHER + 1 };
    svm_shared()->beat[OTHER].word = 1;
    block_limit = 6000;
    assert_int_equal(svm_lock(5), -ETIMEDOUT);
    assert_int_equal(svm_unlock(5), -EPERM);
    l->holder = SCC_CORES + 1;
    assert_int_equal(svm_lock(5), -EINVAL);
    l->holder = 0; /* nobody says that it holds it */
    blocks = 0;
    svm_shared()->beat[ME].word = 1;
    assert_int_equal(svm_lock(5), -ETIMEDOUT);
    *l = (struct svm_lock){ 0 };
}

static struct svm_lock *lock_5(void) { return &svm_shared()->lock[ME][5]; }

/* Another thread of this core fails in a call of all; then the holder gives the lock back. */
static void this_core_leaves(void)
{
    svm_leave();
    *lock_5() = (struct svm_lock){ 0 };
}

/* The same, and all have met anew: others have the lock then. */
static void this_core_meets_anew(void)
{
    meanwhile = NULL;
    this_core_leaves();
    others_arrive();
    assert_int_equal(svm_barrier(), 0);
}

static void nobody_takes_or_gives_a_lock_of_an_epoch_that_it_has_left(void **state)
{
    static void (*const leaves[])(void) = { this_core_leaves, this_core_meets_anew };
    for (unsigned i = 0; i < 2; i++) {
        others_arrive();
        assert_int_equal(svm_barrier(), 0);
        *lock_5() = (struct svm_lock){ .taken = 1, .holder = OTHER + 1 };
        svm_shared()->beat[OTHER].word = 1;
        meanwhile = leaves[i];
        blocks = 0;
        block_limit = 2;
        assert_int_equal(svm_lock(5), -EPIPE);
        assert_int_equal(lock_5()->taken | lock_5()->holder, 0);
        assert_int_equal(svm_unlock(5), -EPERM);
    }
    assert_int_equal(svm_lock(5), 0);
    assert_int_equal(svm_unlock(5), 0);
    svm_leave();
}

static void lives_and_does_not_hold(void)
{
    if (sent.last.ask == SVM_PING)
        svm_shared()->lock[ME][5].beat++;
    svm_shared()->beat[OTHER].word++;
}

static void holds_for_long(void)
{
    assert_int_equal(sent.last.ask, SVM_HOLD);
    assert_int_equal(sent.last.page, 5);
    svm_shared()->lock[ME][5].beat++;
    if (blocks == 20000)
        svm_shared()->lock[ME][5] = (struct svm_lock){ 0 };
}

/* The word that names the holder may have been overwritten: with the name of a core that lives, or here. */
static void a_lock_waits_for_who_holds_it_and_not_for_who_lives(void **state)
{
    struct svm_lock *l = &svm_shared()->lock[ME][5];
    *l = (struct svm_lock){ .taken = 1, .holder = OTHER + 1 };
    svm_shared()->beat[OTHER].word = 1;
    block_limit = 6000;
    meanwhile = lives_and_does_not_hold;
    assert_int_equal(svm_lock(5), -ETIMEDOUT);
    blocks = 0;
    block_limit = 21000;
    meanwhile = holds_for_long;
    assert_int_equal(svm_lock(5), 0);
    assert_int_equal(blocks, 20000);
    u32 beat = l->beat;
    l->holder = THIRD + 1;
    ask_as(OTHER, SVM_HOLD, 5, 0);
    assert_int_equal(l->beat, beat + 1);
    ask_as(OTHER, SVM_HOLD, 6, 0);
    assert_int_equal(svm_shared()->lock[ME][6].beat, 0);
    assert_int_equal(svm_count.refused, 0);
    ask_as(OTHER, SVM_HOLD, SVM_LOCKS, 0);
    assert_int_equal(svm_count.refused, 1);
    assert_int_equal(svm_unlock(5), 0);
    assert_int_equal(l->taken | l->holder, 0);
    ask_as(OTHER, SVM_HOLD, 5, 0);
    assert_int_equal(l->beat, beat + 1);
    assert_int_equal(svm_unlock(5), -EPERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_lock_has_one_holder, setup),
        cmocka_unit_test_setup(a_lock_waits_for_who_holds_it_and_not_for_who_lives, setup),
        cmocka_unit_test_setup(nobody_takes_or_gives_a_lock_of_an_epoch_that_it_has_left, setup),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
