/* SPDX-License-Identifier: MIT */
/*
 * How long a page of 64 KiB keeps interrupts off: single steps (stretch.h) over a run whose free frames are so many and
 * in such an order as a program can make them. docs/isolation.md has the bound.
 */
#define _GNU_SOURCE
#include "medium_test.h"
#include "stretch.h"

enum { BOUND = 8000, GROUP = 16, GROUPS = RUN_FRAMES / GROUP };

static u32 push(u32 *list, u32 f)
{
    frame[f] = *list;
    return *list = f;
}

/* One run has free frames: of each group but `whole` all but one, and those of `whole` are the last of its list. */
static void leave_one_group(u32 whole)
{
    u32 runs = process_runs(&p), pick = 0, list = FRAME_NONE, n = 0;
    for (u32 i = 0; i < runs; i++)
        if (run[i].n == RUN_FRAMES)
            pick = i;
    u32 base = pick * RUN_FRAMES - p.skew;
    for (u32 i = 0; i < runs; i++) {
        if (run[i].n)
            list_remove(&run[i].link);
        p.n_free -= run[i].n;
        run[i].n = 0;
        run[i].free = FRAME_NONE;
    }
    for (u32 k = 0; k < GROUP; k++, n++)
        push(&list, base + whole * GROUP + k);
    for (u32 g = 0; g < GROUPS; g++) {
        if (g == whole)
            continue;
        for (u32 k = 0; k < GROUP - 1; k++, n++)
            push(&list, base + g * GROUP + k);
        frame[base + g * GROUP + GROUP - 1] = FRAME_USED + 1;
    }
    run[pick].free = list;
    run[pick].n = n;
    p.n_free += n;
    list_push_front(&p.some, &run[pick].link);
}

static void the_only_group_of_a_long_list_is_found_in_time(void **state)
{
    leave_one_group(GROUPS - 1);
    host_irq_on = true;
    count();
    s64 at = map(AT(0), MEDIUM);
    unsigned found = counted();
    print_message("%u instructions\n", found);
    assert_int_equal(at, AT(0));
    assert_in_range(found, 1000, BOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_only_group_of_a_long_list_is_found_in_time, begin, end),
    };
    stretch_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
