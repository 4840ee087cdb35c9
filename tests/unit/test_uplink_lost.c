/* SPDX-License-Identifier: MIT */
/* Who sends a frame on an SCC is told whether that one was lost, whatever else its port loses meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errors.h>
#include <hal/cpu.h>
#include <string.h>

#include "uplink.h"

#define LENGTH 60

void printk(const char *format, ...) {}

static const u8 mac[2][MAC_BYTES] = { { 2, 0, 0, 0, 0, 1 }, { 2, 0, 0, 0, 0, 2 } };
static struct net_port port[2];
static unsigned refusals, holds;
static int answer; /* of the way out */

bool host_irq_on = true;

/* Between two holds of the lock a flood comes for the sender's port. */
static void flood(void)
{
    holds++;
    port[0].lost += 3;
}
void (*host_at_enable)(void) = flood;

static bool deliver(struct net_port *to, struct net_frame *f) { return !refusals || !refusals--; }
static int send_out(struct net_uplink *out, struct net_frame *f) { return answer; }
static struct net_uplink out = { send_out };

static int setup(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        port[i] = (struct net_port){ .deliver = deliver, .mac = mac[i], .owner = port };
        assert_int_equal(net_switch_join(5, &port[i]), 0);
    }
    port[0].sw->uplink = &out;
    refusals = holds = 0;
    answer = 0;
    return 0;
}

static int teardown(void **state)
{
    net_switch_leave(port);
    return 0;
}

static bool sent(u8 last)
{
    u8 bytes[LENGTH] = { 2, 0, 0, 0, 0, last };
    return !uplink_forward(port[0].sw, &port[0], bytes, LENGTH);
}

static void a_flood_for_the_sender_is_no_loss_of_its_frame(void **state)
{
    refusals = 4;
    assert_true(sent(2)); /* to the other port, with a fifth budget */
    assert_int_equal(holds, 5);
    assert_int_equal(port[0].lost, 15);
    assert_true(sent(9)); /* outside */
}

static void a_frame_without_room_on_its_way_is_lost(void **state)
{
    answer = -ENOSPC;
    assert_false(sent(9));
    assert_int_equal(port[0].lost, 4);
    answer = -ENODEV;
    assert_false(sent(9));
    assert_true(sent(2));
    answer = 0;
    assert_true(sent(9));
}

static void what_comes_from_outside_is_no_ports_loss(void **state)
{
    u8 bytes[LENGTH] = { 2, 0, 0, 0, 0, 9 };
    answer = -ENOSPC;
    assert_false(uplink_forward(port[0].sw, NULL, bytes, LENGTH));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_flood_for_the_sender_is_no_loss_of_its_frame, setup, teardown),
        cmocka_unit_test_setup_teardown(a_frame_without_room_on_its_way_is_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(what_comes_from_outside_is_no_ports_loss, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
