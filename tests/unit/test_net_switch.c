/* SPDX-License-Identifier: MIT */
/* The switch alone, with ports that are no guest's: all that it needs of a port is net/net.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errors.h>
#include <net/net.h>
#include <string.h>

void printk(const char *format, ...) {}

#define LENGTH 100

static const u8 mac[3][MAC_BYTES] = { { 2, 0, 0, 0, 0, 1 }, { 2, 0, 0, 0, 0, 2 }, { 2, 0, 0, 0, 0, 3 } };
static u8 sent[LENGTH], got[3][LENGTH];
static struct net_port port[3];
static unsigned deliveries[3], refusals, pieces_left;
static s32 budget;
static u64 next;

/* Bytes by the seven, so that a copy has seams; none are left after pieces_left of them. */
static void *piece(struct net_frame *f, u32 from, u32 *n)
{
    if (!pieces_left--)
        return NULL;
    *n = MIN(*n, 7u);
    return sent + from;
}

static bool deliver(struct net_port *to, struct net_frame *f)
{
    if (refusals && refusals--)
        return false;
    deliveries[to - port]++;
    return net_frame_copy(f, got[to - port], f->length) || true;
}

static int setup(void **state)
{
    memset(port, 0, sizeof(port));
    memset(got, 0, sizeof(got));
    memset(deliveries, 0, sizeof(deliveries));
    for (unsigned i = 0; i < LENGTH; i++)
        sent[i] = (u8)(i * 3);
    for (unsigned i = 0; i < 3; i++) {
        port[i] = (struct net_port){ .deliver = deliver, .mac = mac[i], .owner = &port[i] };
        assert_int_equal(net_switch_join(5, &port[i]), 0);
    }
    pieces_left = 1000;
    refusals = 0;
    next = 0;
    budget = NET_BUDGET;
    return 0;
}

static int teardown(void **state)
{
    for (unsigned i = 0; i < 3; i++)
        net_switch_leave(&port[i]);
    return 0;
}

/* From port 0, to port `to` or, 3, to all. Returns whether the budget sufficed. */
static bool forward(unsigned to)
{
    static u8 destination[MAC_BYTES];
    memset(sent, 0xff, MAC_BYTES);
    if (to < 3)
        memcpy(sent, mac[to], MAC_BYTES);
    struct net_frame f = { piece, LENGTH, &budget, destination, &next };
    return net_switch_forward(port[0].sw, &port[0], &f);
}

static void a_frame_goes_to_the_port_of_its_address(void **state)
{
    assert_true(forward(2));
    assert_int_equal(deliveries[0] + deliveries[1], 0);
    assert_memory_equal(got[2], sent, LENGTH);
    assert_int_equal(budget, NET_BUDGET - MAC_BYTES - LENGTH);
}

static void a_group_frame_goes_to_all_others(void **state)
{
    assert_true(forward(3));
    assert_int_equal(deliveries[0], 0);
    assert_memory_equal(got[1], sent, LENGTH);
    assert_memory_equal(got[2], sent, LENGTH);
}

static void a_frame_goes_on_at_the_port_whose_budget_was_too_small(void **state)
{
    assert_true(net_switch_join(5, &port[1]) == -EEXIST);
    refusals = 1;
    assert_false(forward(3));
    assert_int_equal(deliveries[1] + deliveries[2], 0);
    budget = NET_BUDGET / 2 - 1;
    assert_false(forward(3));
    assert_int_equal(budget, 0);
    budget = NET_BUDGET;
    assert_true(forward(3));
    assert_int_equal(deliveries[1], 1);
    assert_int_equal(deliveries[2], 1);
}

static void a_frame_that_its_sender_takes_back_is_dropped(void **state)
{
    pieces_left = 0;
    assert_true(forward(2));
    assert_int_equal(deliveries[2], 0);
    assert_int_equal(port[0].lost, 0);
}

static void a_frame_for_nobody_is_lost_at_its_sender(void **state)
{
    net_switch_leave(&port[2]);
    assert_true(forward(2));
    assert_int_equal(port[0].lost, 1);
    next = 0;
    assert_true(forward(3));
    assert_int_equal(port[0].lost, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_frame_goes_to_the_port_of_its_address, setup, teardown),
        cmocka_unit_test_setup_teardown(a_group_frame_goes_to_all_others, setup, teardown),
        cmocka_unit_test_setup_teardown(a_frame_goes_on_at_the_port_whose_budget_was_too_small, setup, teardown),
        cmocka_unit_test_setup_teardown(a_frame_that_its_sender_takes_back_is_dropped, setup, teardown),
        cmocka_unit_test_setup_teardown(a_frame_for_nobody_is_lost_at_its_sender, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
