/* SPDX-License-Identifier: MIT */
/* handle_shared.h - for tests of memory that is shared by handles: what each begins and ends with, and what it looks
 * at. */
#ifndef AMALGAM_TESTS_HANDLE_SHARED_H
#define AMALGAM_TESTS_HANDLE_SHARED_H

#include "handle_test.h"

#define RW (HANDLE_READ | HANDLE_WRITE)

static int begin(void **state)
{
    host_irq_on = true;
    for (unsigned i = 0; i < P; i++) {
        run_begin(i);
        assert_int_equal(process_call_map(&thread[i], USER_BASE, OWN * PAGE_SIZE, PROCESS_CALL_MAP_WRITE), USER_BASE);
    }
    return 0;
}

static void nothing_is_shown(unsigned p)
{
    for (unsigned i = 0; i < VIEWS * VIEW_PAGES; i++)
        assert_int_equal(shown[p][i], 0);
}

static int end(void **state)
{
    host_elsewhere = NULL;
    for (unsigned i = 0; i < P; i++)
        run_end(i);
    for (unsigned i = 0; i < P; i++)
        nothing_is_shown(i);
    return 0;
}

/* Process 0 shares `pages` pages from its page `from` on, and sends the handle on to process 1. Returns the latter's.
 */
static u32 shared(unsigned from, unsigned pages, u32 rights)
{
    s64 h = do_memory(0, PAGE_AT(from), pages * PAGE_SIZE, 1);
    assert_in_range(h, 2, HANDLES - 1);
    assert_int_equal(do_send(0, CHANNEL(0, 1), (u32)h, rights), 0);
    s64 got = do_receive(1, CHANNEL(1, 0));
    assert_in_range(got, 2, HANDLES - 1);
    return (u32)got;
}

/* Process 0, which shares nothing, can share one range less than it might. */
static void one_place_is_spent(void)
{
    for (unsigned i = 0; i < RANGES - 1; i++)
        assert_int_equal(do_memory(0, PAGE_AT(0), PAGE_SIZE, 1), 2 + i);
    assert_int_equal(do_memory(0, PAGE_AT(0), PAGE_SIZE, 1), -ENOMEM);
}

static bool shows(unsigned p, u64 at, unsigned of, unsigned page, bool writable)
{
    return *entry_of(p, at) == space_entry_of(space_frame(own[of][page]), writable ? SPACE_WRITE : 0);
}

/* In the middle of a call another core does something: at the n-th time that this one turns interrupts off. */

void (*host_elsewhere)(void);
static unsigned after;
static void (*elsewhere)(void);
static void count_down(void)
{
    bool was = host_irq_on;
    host_irq_on = true;
    if (!--after)
        elsewhere();
    else
        host_elsewhere = count_down;
    host_irq_on = was;
}
static void at(unsigned n, void (*what)(void))
{
    after = n;
    elsewhere = what;
    host_elsewhere = count_down;
}

#endif
