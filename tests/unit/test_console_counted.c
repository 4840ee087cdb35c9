/* SPDX-License-Identifier: MIT */
/* A console port whose board knows whether its other end lives, and counts what is dropped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <core/console.h>

#include "core/console_ring.h"

#define RING     8192u
#define PATIENCE 100001u /* looks */

static bool lives;
static unsigned asked, dropped, room;

bool hal_console_present(unsigned port) { return true; }
unsigned hal_console_put(unsigned port, const u8 *bytes, unsigned n) { return n < room ? n : room; }
bool hal_console_drop(unsigned n, bool can_wait)
{
    asked += can_wait;
    if (can_wait && lives)
        return false;
    dropped += n;
    return true;
}

static void look(unsigned times)
{
    while (times--)
        ring_drain(HUMAN);
}

static void what_waits_for_one_who_lives_is_kept(void **state)
{
    console_queue(true);
    assert_int_equal(ring_send(HUMAN, "abc", 3), 3);
    lives = true;
    look(10 * PATIENCE);
    assert_int_equal(asked, 10); /* not at each look */
    assert_int_equal(ring_waiting(HUMAN), 3);
    assert_int_equal(dropped, 0);
}

static void what_is_dropped_is_counted(void **state)
{
    static const char much[2 * RING];
    lives = false;
    look(PATIENCE);
    assert_int_equal(ring_waiting(HUMAN), 0);
    assert_int_equal(dropped, 3);
    lives = true;
    u32 sent = 0;
    while (ring_waiting(HUMAN) < RING)
        sent += ring_send(HUMAN, much, sizeof(much) - sent);
    assert_int_equal(ring_send(HUMAN, much, 100), 100); /* whose speaker cannot wait */
    assert_int_equal(dropped, 103);
    room = RING;
    look(2);
    assert_int_equal(ring_waiting(HUMAN), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_waits_for_one_who_lives_is_kept),
        cmocka_unit_test(what_is_dropped_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
