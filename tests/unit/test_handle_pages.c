/* SPDX-License-Identifier: MIT */
/*
 * Page capabilities: ranges that are derived, revoked and inspected. First one by one, then what another core does in
 * the middle of a call, then random operations of all handles against a reference (STEPS: how many).
 */
#include "handle_shared.h"

#include <generated/pages_calls.h>

static s64 do_derive(unsigned p, u32 h, u32 offset, u32 n, u32 rights)
{
    return pages_call_pages_derive(&thread[p], h, offset * PAGE_SIZE, n * PAGE_SIZE, rights);
}
static s64 do_revoke(unsigned p, u32 h) { return pages_call_pages_revoke(&thread[p], h); }
static s64 do_inspect(unsigned p, u64 at) { return pages_call_pages_inspect(&thread[p], at); }

/* Process p sends a handle to process q. Returns the latter's. */
static u32 sent(unsigned p, u32 h, unsigned q, u32 rights)
{
    assert_int_equal(do_send(p, CHANNEL(p, q), h, rights), 0);
    s64 got = do_receive(q, CHANNEL(q, p));
    assert_in_range(got, 2, HANDLES - 1);
    return (u32)got;
}

static s64 rights_of(unsigned p, u32 h) { return do_info(p, h, HANDLE_CALL_HANDLE_INFO_RIGHTS); }
static s64 valid(unsigned p, u32 h) { return do_info(p, h, HANDLE_CALL_HANDLE_INFO_VALID); }

/* One by one */

static void test_a_derived_range_shows_its_part_with_the_rights_that_were_left(void **state)
{
    u32 got = shared(2, 8, RW | HANDLE_SEND);
    s64 part = do_derive(1, got, 3, 2, HANDLE_READ | HANDLE_SEND);
    assert_in_range(part, 2, HANDLES - 1);
    assert_int_equal(rights_of(1, (u32)part), HANDLE_READ | HANDLE_SEND | HANDLE_OWN);
    assert_int_equal(do_info(1, (u32)part, HANDLE_CALL_HANDLE_INFO_SIZE), 2 * PAGE_SIZE);
    assert_int_equal(do_send(1, CHANNEL(1, 2), (u32)part, RW), -EPERM);
    u32 third = sent(1, (u32)part, 2, HANDLE_READ);
    s64 at = do_map(2, third);
    assert_true(shows(2, (u64)at, 0, 5, false) && shows(2, (u64)at + PAGE_SIZE, 0, 6, false));
    assert_int_equal(*entry_of(2, (u64)at + 2 * PAGE_SIZE), 0);
    part = do_derive(1, (u32)part, 1, 1, HANDLE_READ); /* and a part of the part */
    at = do_map(1, (u32)part);
    assert_true(shows(1, (u64)at, 0, 6, false));
}

static void test_wrong_parts_are_refused(void **state)
{
    u32 got = shared(2, 8, HANDLE_READ | HANDLE_SEND);
    assert_int_equal(do_derive(1, 31, 0, 1, 1), -EBADF);
    assert_int_equal(do_derive(1, 0, 0, 1, 1), -EINVAL); /* a channel's end */
    assert_int_equal(pages_call_pages_derive(&thread[1], got, 1, PAGE_SIZE, 1), -EINVAL);
    assert_int_equal(pages_call_pages_derive(&thread[1], got, 0, PAGE_SIZE + 1, 1), -EINVAL);
    assert_int_equal(do_derive(1, got, 0, 0, 1), -EINVAL);
    assert_int_equal(do_derive(1, got, 8, 1, 1), -EINVAL);
    assert_int_equal(do_derive(1, got, 7, 2, 1), -EINVAL);
    assert_int_equal(do_derive(1, got, 255, 256, 1), -EINVAL);
    assert_int_equal(do_derive(1, got, 0, 1, RW), -EACCES);
    for (unsigned i = 0; i < RANGES; i++) /* none of these took a place */
        assert_in_range(do_derive(1, got, i, 1, 1), 2, HANDLES - 1);
    assert_int_equal(do_derive(1, got, 0, 1, 1), -ENOMEM);
    assert_int_equal(do_close(0, 2), 0);
    assert_int_equal(do_derive(1, got, 0, 1, 1), -ESTALE);
}

static void test_a_derived_range_that_is_closed_ends_and_its_parent_stays(void **state)
{
    u32 before = process[0].n_free, got = shared(2, 8, RW | HANDLE_SEND);
    s64 part = do_derive(1, got, 0, 4, RW | HANDLE_SEND);
    u64 at = (u64)do_map(1, got);
    u32 third = sent(1, (u32)part, 2, RW);
    do_map(2, third);
    assert_int_equal(do_close(1, (u32)part), 0);
    nothing_is_shown(2);
    assert_int_equal(do_map(2, third), -ESTALE);
    assert_true(shows(1, at, 0, 2, true) && valid(1, got));
    assert_int_equal(do_close(0, 2), 0);
    nothing_is_shown(1);
    assert_int_equal(process[0].n_free, before);
}

static void test_what_was_derived_ends_with_its_ancestor(void **state)
{
    u32 before = process[0].n_free, got = shared(2, 8, RW | HANDLE_SEND);
    u32 part = (u32)do_derive(1, got, 1, 4, RW | HANDLE_SEND);
    u32 third = sent(1, part, 2, RW | HANDLE_SEND);
    u32 deep = (u32)do_derive(2, third, 1, 2, RW | HANDLE_SEND);
    u32 back = sent(2, deep, 0, HANDLE_READ);
    do_map(0, back);
    do_map(1, part);
    do_map(2, third);
    do_map(2, deep);
    assert_int_equal(process_call_unmap(&thread[0], PAGE_AT(2), 8 * PAGE_SIZE), 0);
    assert_int_equal(process[0].n_free, before); /* they are pinned, whoever has shares */
    assert_int_equal(do_close(0, 2), 0);
    for (unsigned i = 0; i < P; i++)
        nothing_is_shown(i);
    assert_int_equal(process[0].n_free, before + 8);
    assert_false(valid(0, back) || valid(1, part) || valid(2, third) || valid(2, deep));
    assert_int_equal(do_revoke(2, deep), -ESTALE);
    assert_int_equal(do_derive(2, deep, 0, 1, 1), -ESTALE);
    assert_int_equal(do_close(2, deep), 0);
    assert_int_equal(do_close(1, part), 0);
    for (unsigned i = 0; i < RANGES; i++) /* its place is free again */
        assert_in_range(do_memory(2, PAGE_AT(0), PAGE_SIZE, 1), 2, HANDLES - 1);
}

static void test_a_revoked_handle_is_its_owners_as_before_and_nobody_elses(void **state)
{
    u32 got = shared(2, 8, RW | HANDLE_SEND);
    u32 part = (u32)do_derive(1, got, 1, 4, RW | HANDLE_SEND);
    do_map(0, 2);
    do_map(1, got);
    do_map(1, part);
    assert_int_equal(do_revoke(1, got), -EPERM);
    assert_int_equal(do_revoke(0, 2), 0);
    nothing_is_shown(0);
    nothing_is_shown(1);
    assert_false(valid(1, got) || valid(1, part));
    assert_true(valid(0, 2));
    s64 at = do_map(0, 2);
    assert_true(shows(0, (u64)at, 0, 2, true));
    u32 again = sent(0, 2, 1, HANDLE_READ);
    at = do_map(1, again);
    assert_true(shows(1, (u64)at, 0, 2, false));
    assert_int_equal(do_revoke(0, 0), -EINVAL);
    assert_int_equal(do_revoke(0, 31), -EBADF);
    assert_int_equal(do_revoke(0, 2), 0);
    nothing_is_shown(1);
}

static void test_who_derived_revokes_what_it_gave_and_no_more(void **state)
{
    u32 got = shared(2, 8, RW | HANDLE_SEND);
    u32 one = (u32)do_derive(1, got, 0, 4, RW | HANDLE_SEND), other = (u32)do_derive(1, got, 0, 4, RW | HANDLE_SEND);
    u64 at = (u64)do_map(1, got);
    u32 of_one = sent(1, one, 2, RW), of_other = sent(1, other, 2, RW);
    do_map(2, of_one);
    u64 there = (u64)do_map(2, of_other);
    assert_int_equal(do_revoke(1, one), 0);
    assert_true(shows(1, at, 0, 2, true) && shows(2, there, 0, 2, true));
    assert_false(valid(2, of_one));
    assert_true(valid(1, one) && valid(1, got) && valid(2, of_other));
}

static void test_the_end_of_a_process_ends_what_was_derived_of_its_memory(void **state)
{
    u32 got = shared(2, 8, RW | HANDLE_SEND);
    u32 part = (u32)do_derive(1, got, 0, 4, RW | HANDLE_SEND);
    u32 third = sent(1, part, 2, RW);
    do_map(2, third);
    run_end(0);
    nothing_is_shown(2);
    run_begin(0);
    assert_int_equal(process[0].n_free, FRAMES);
    assert_false(valid(1, part) || valid(2, third));
    process_call_map(&thread[0], USER_BASE, OWN * PAGE_SIZE, PROCESS_CALL_MAP_WRITE);
    do_close(1, got);
    got = shared(2, 8, RW | HANDLE_SEND);
    third = sent(1, (u32)do_derive(1, got, 0, 4, RW | HANDLE_SEND), 2, RW);
    do_map(2, third);
    run_end(1); /* who derived it ends */
    nothing_is_shown(2);
    run_begin(1);
    assert_true(valid(0, 2));
}

static void test_an_address_is_inspected_as_it_is_shown(void **state)
{
    s64 first = (s64)((space_frame(own[0][4]) - process[0].memory) >> PAGE_SHIFT) << 4;
    assert_int_equal(do_inspect(0, PAGE_AT(4)), first | 3);
    process_call_protect(&thread[0], PAGE_AT(4), PAGE_SIZE, 0);
    assert_int_equal(do_inspect(0, PAGE_AT(4)), first | 1);
    process_call_protect(&thread[0], PAGE_AT(4), PAGE_SIZE, PROCESS_CALL_PROTECT_EXEC);
    assert_int_equal(do_inspect(0, PAGE_AT(4)), first | 5);
    assert_int_equal(do_inspect(0, PAGE_AT(4) + 8), -EINVAL);
    assert_int_equal(do_inspect(0, PAGE_AT(OWN)), -EFAULT);
    assert_int_equal(do_inspect(0, 0), -EFAULT);
    process_call_protect(&thread[0], PAGE_AT(4), PAGE_SIZE, 0);
    assert_int_equal(do_memory(0, PAGE_AT(4), 2 * PAGE_SIZE, 0), 2);
    u32 got = sent(0, 2, 1, HANDLE_READ);
    u64 at = (u64)do_map(1, got);
    assert_int_equal(do_inspect(1, at), first | 1);
    assert_int_equal(do_inspect(1, at + 2 * PAGE_SIZE), -EFAULT);
    do_revoke(0, 2);
    assert_int_equal(do_inspect(1, at), -EFAULT);
    assert_int_equal(do_inspect(1, VIEWS_AT + VIEWS * MIB), -EFAULT);
}

static void test_a_range_whose_generations_are_spent_is_revoked_for_good(void **state)
{
    struct range *r = memory_of(0)->range;
    r->object.generation = HANDLE_SPENT - 1;
    u32 got = shared(0, 1, RW);
    do_map(1, got);
    assert_int_equal(do_revoke(0, 2), 0);
    nothing_is_shown(1);
    assert_int_equal(do_revoke(0, 2), -ESTALE);
    assert_int_equal(do_map(0, 2), -ESTALE);
    assert_int_equal(do_close(0, 2), 0);
    one_place_is_spent();
    r->object.generation = 0;
}

/* In the middle of a call another core does something. */

static u32 there, part, deep; /* of process 1, of 1, of 2 */
static void owner_closes(void) { do_close(0, 2); }
static void owner_revokes(void) { do_revoke(0, 2); }
static void owner_ends(void) { run_end(0); }
static void holder_derives(void) { part = (u32)do_derive(1, there, 1, 22, RW | HANDLE_SEND); }
static void holder_closes_part(void) { do_close(1, part); }
static void holder_revokes_part(void) { do_revoke(1, part); }
static void holder_ends(void) { run_end(1); }
static void third_maps(void) { do_map(2, deep); }

/* `first` is interrupted by `then` at each of its moments, until there are no more of them. Nothing is shown after the
 * two, then. */
static void each_moment(void (*first)(void), void (*then)(void))
{
    unsigned n = 0;
    do {
        end(NULL);
        begin(NULL);
        there = shared(0, 24, RW | HANDLE_SEND);
        if (first != holder_derives) {
            holder_derives();
            deep = (u32)do_derive(2, sent(1, part, 2, RW), 1, 20, RW); /* shown in two steps */
            if (first != third_maps && then != third_maps)
                third_maps();
        }
        at(++n, then);
        first();
        if (!host_elsewhere)
            nothing_is_shown(2);
        for (unsigned p = 0; p < P; p++)
            if (!memory_of(p)->runs)
                run_begin(p);
    } while (!host_elsewhere && n < 400);
    host_elsewhere = NULL;
    assert_in_range(n, 3, 399);
}

static void test_whatever_comes_between_nothing_that_was_derived_is_shown(void **state)
{
    each_moment(third_maps, owner_closes);
    each_moment(third_maps, owner_revokes);
    each_moment(third_maps, owner_ends);
    each_moment(third_maps, holder_closes_part);
    each_moment(owner_closes, third_maps);
    each_moment(owner_revokes, third_maps);
    each_moment(owner_closes, holder_closes_part);
    each_moment(owner_revokes, holder_revokes_part);
    each_moment(owner_closes, holder_ends);
    each_moment(owner_revokes, holder_ends);
    each_moment(holder_closes_part, owner_closes);
    each_moment(holder_revokes_part, owner_closes);
    each_moment(holder_revokes_part, owner_revokes);
    each_moment(holder_revokes_part, owner_ends);
    each_moment(holder_ends, owner_closes);
    each_moment(holder_ends, owner_revokes);
    each_moment(owner_revokes, owner_revokes);
    each_moment(owner_revokes, owner_closes);
    each_moment(holder_derives, owner_closes);
    each_moment(holder_derives, owner_revokes);
    each_moment(holder_derives, owner_ends);
}

/* What the part is worth when it was derived and its parent revoked at the same time: nothing. */
static void test_nothing_is_derived_of_memory_that_was_revoked_meanwhile(void **state)
{
    unsigned n = 0;
    do {
        end(NULL);
        begin(NULL);
        there = shared(0, 24, RW | HANDLE_SEND);
        at(++n, owner_revokes);
        s64 made = do_derive(1, there, 1, 4, RW);
        if (!host_elsewhere && made >= 0) {
            assert_int_equal(do_map(1, (u32)made), -ESTALE);
            assert_int_equal(do_revoke(1, (u32)made), -ESTALE);
        } else if (!host_elsewhere) {
            assert_int_equal(made, -ESTALE);
        }
    } while (!host_elsewhere && n < 100);
    host_elsewhere = NULL;
    assert_in_range(n, 3, 99);
}

#include "handle_random.h"

static s64 ref_derive(unsigned p, u32 h, u32 offset, u32 pages, u32 rights)
{
    struct copy *c = &ref.handle[p][h];
    if (c->object == -1)
        return -EBADF;
    if (c->object == -2 || !pages)
        return -EINVAL;
    if (!is_valid(c))
        return -ESTALE;
    if (rights & ~c->rights)
        return -EACCES;
    struct object *o = &ref.object[ref.objects], *of = &ref.object[c->object];
    if (offset + pages > of->pages)
        return -EINVAL;
    if (ref.ranges[p] == RANGES)
        return -ENOMEM;
    *o = (struct object){ .valid = true, .owner = p, .pages = pages, .parent = c->object };
    o->parent_generation = c->generation;
    memcpy(o->page, of->page + offset, pages * sizeof(o->page[0]));
    s64 index = ref_add(p, &(struct copy){ (int)ref.objects, rights | HANDLE_OWN, 0, 0 });
    ref.objects += index >= 0;
    ref.ranges[p] += index >= 0;
    return index;
}

static s64 ref_revoke(unsigned p, u32 h)
{
    struct copy *c = &ref.handle[p][h];
    if (c->object == -1)
        return -EBADF;
    if (c->object == -2)
        return -EINVAL;
    if (!(c->rights & HANDLE_OWN))
        return -EPERM;
    if (!is_valid(c))
        return -ESTALE;
    c->generation = ++ref.object[c->object].generation;
    c->at = 0;
    return 0;
}

/* Inspects where the handle shows its memory, if it does, and the page behind. */
static s64 ref_inspect(unsigned p, u32 h, unsigned page)
{
    const struct copy *c = &ref.handle[p][h];
    if (!is_valid(c) || page >= ref.object[c->object].pages)
        return -EFAULT;
    const struct object *o = &ref.object[c->object], *root = o;
    while (root->parent >= 0)
        root = &ref.object[root->parent];
    return (s64)((o->page[page] - process[root->owner].memory) >> PAGE_SHIFT << 4) | (c->rights & HANDLE_WRITE ? 3 : 1);
}

static s64 step_pages(unsigned p, u32 h, s64 *expected)
{
    u32 offset = random_below(3), pages = random_below(4),
        rights = random_below(3) ? RW | HANDLE_SEND : random_below(8);
    switch (random_below(4)) {
    case 0: *expected = ref_revoke(p, h); return do_revoke(p, h);
    case 1:
        if (ref.handle[p][h].at) {
            *expected = ref_inspect(p, h, offset);
            return do_inspect(p, (u64)ref.handle[p][h].at + offset * PAGE_SIZE);
        }
        *expected = (s64)((space_frame(own[p][h % OWN]) - process[p].memory) >> PAGE_SHIFT << 4) | 3;
        return do_inspect(p, PAGE_AT(h % OWN));
    default: *expected = ref_derive(p, h, offset, pages, rights); return do_derive(p, h, offset, pages, rights);
    }
}

static void test_random_operations_of_capabilities_answer_as_the_reference_does(void **state)
{
    step_more = step_pages;
    test_random_operations_answer_as_the_reference_does(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_derived_range_shows_its_part_with_the_rights_that_were_left),
        TEST(test_wrong_parts_are_refused),
        TEST(test_a_derived_range_that_is_closed_ends_and_its_parent_stays),
        TEST(test_what_was_derived_ends_with_its_ancestor),
        TEST(test_a_revoked_handle_is_its_owners_as_before_and_nobody_elses),
        TEST(test_who_derived_revokes_what_it_gave_and_no_more),
        TEST(test_the_end_of_a_process_ends_what_was_derived_of_its_memory),
        TEST(test_an_address_is_inspected_as_it_is_shown),
        TEST(test_a_range_whose_generations_are_spent_is_revoked_for_good),
        TEST(test_whatever_comes_between_nothing_that_was_derived_is_shown),
        TEST(test_nothing_is_derived_of_memory_that_was_revoked_meanwhile),
        TEST(test_random_operations_of_capabilities_answer_as_the_reference_does),
    };
    processes_make();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
