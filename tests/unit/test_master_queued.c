/* SPDX-License-Identifier: MIT */
/* Remote calls that wait in a queue of their own (REMOTE_ALL): what others do costs them nothing, and who gives up is
 * heard. */
#include "master_test.h"

static s64 queued_until_open(struct request *r)
{
    caller_of(r)->tries++;
    return caller_of(r)->open ? at_once(r) : REQUEST_QUEUED;
}

static s64 finishes_the_first(struct request *r)
{
    request_finish(&callers[1].asked->request, 8);
    return at_once(r);
}

static bool drop_now(struct request *r, bool ends)
{
    caller_of(r)->drops++;
    return true;
}

static struct caller *queue_up(unsigned core)
{
    struct caller *c = start(core, queued_until_open, 1);
    c->drop = drop_now;
    settle_within(QUIET);
    assert_true(is_asleep(c));
    return c;
}

static void calls_of_others_do_not_try_who_is_queued(void **state)
{
    struct caller *first = queue_up(1), *second = queue_up(2);
    first->open = second->open = true;
    start(3, at_once, 5);
    settle_within(QUIET);
    assert_string_equal(served, "33333");
    assert_true(first->tries == 1 && second->tries == 1);
}

static void who_is_queued_is_finished_by_another_one(void **state)
{
    struct caller *first = queue_up(1), *second = queue_up(2);
    start(3, finishes_the_first, 1);
    settle_within(QUIET);
    assert_true(first->result == 8 && !first->calls);
    assert_true(second->calls && is_asleep(second));
}

static void a_signal_or_an_end_takes_who_is_queued_out(void **state)
{
    struct caller *called = queue_up(1), *ended = queue_up(2), *stays = queue_up(3);
    called->thread->signal = true;
    thread_wake(called->thread);
    settle_within(QUIET);
    assert_true(called->result == -EINTR && called->drops == 1);
    assert_true(is_asleep(ended) && ended->calls);
    ended->thread->stop = true;
    thread_wake(ended->thread);
    settle_within(QUIET);
    assert_true(ended->result == -ECANCELED && ended->drops == 1);
    assert_true(stays->calls && is_asleep(stays) && !stays->drops);
}

/* Its caller gives up before the master has looked at the request for the first time. */
static void who_has_given_up_already_is_not_queued_for_good(void **state)
{
    struct caller *c = start(1, queued_until_open, 1);
    c->drop = drop_now;
    c->thread->stop = true;
    TURNS_UNTIL(c->asked && c->asked->request.cancelled == REQUEST_ENDS, 200, 1);
    assert_int_equal(c->tries, 0);
    settle_within(QUIET);
    assert_true(c->result == -ECANCELED && c->drops == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(calls_of_others_do_not_try_who_is_queued, setup),
        cmocka_unit_test_setup(who_is_queued_is_finished_by_another_one, setup),
        cmocka_unit_test_setup(a_signal_or_an_end_takes_who_is_queued_out, setup),
        cmocka_unit_test_setup(who_has_given_up_already_is_not_queued_for_good, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
