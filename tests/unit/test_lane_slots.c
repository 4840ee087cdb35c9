/* SPDX-License-Identifier: MIT */
/* Signals, in little slots of a lane: they wait for no other messages, and any may be left there. */
#include "lane_test.h"

static int send_little(unsigned from, u8 kind, u32 word)
{
    const u64 data = word;
    struct lane_message m = { .kind = kind, .size = sizeof(data), .data = (const u8 *)&data };
    return lane_send(at(from), &m);
}

static void a_little_message_that_cannot_be_is_an_error(void **state)
{
    const struct lane_message wrong[] = {
        { .kind = 0, .size = 4 },
        { .kind = 4, .size = 4 },
        { .kind = 3, .size = 4 },
        { .kind = 6, .size = 4 },
        { .kind = 2, .to = LANE_PORTS, .size = 4 },
        { .kind = 2, .from = LANE_PORTS, .size = 4 },
        { .kind = 2, .size = 0 },
        { .kind = 2, .size = LANE_LITTLE + 1 },
    };
    struct lane_message m;
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        setup(state);
        assert_int_equal(send_little(0, 2, 1), 0);
        half_of(0, 1)->littles[0].head = wrong[i].head;
        assert_int_equal(look_at(at(1)), 0);
        assert_int_equal(lane_peek(at(1), LANE_SIGNALLED, 0, &m), -EBADMSG);
        assert_int_equal(lane_peek(at(1), LANE_SIGNALLED, 0, &m), -EAGAIN);
    }
    setup(state);
    assert_int_equal(send_little(0, 2, 1), 0);
    half_of(0, 1)->littles[0].number = 2;
    assert_int_equal(look_at(at(1)), 0);
    assert_int_equal(lane_peek(at(1), LANE_SIGNALLED, 0, &m), -EBADMSG);
    setup(state);
    half_of(0, 1)->places.put = 1u << (LANE_LITTLE_AT + 1); /* nothing is there */
    assert_int_equal(look_at(at(1)), 0);
    assert_int_equal(lane_peek(at(1), LANE_SIGNALLED, 0, &m), -EBADMSG);
}

/* Whatever fills the other slots. */
static void signals_have_slots_of_their_own(void **state)
{
    struct lane_message m;
    unsigned n = 0;
    const u64 data[2] = { 1 };
    while (!lane_send(at(0), &(struct lane_message){ .size = 8, .data = (const u8 *)data })) /* mails */
        ;
    while (!send_little(0, LANE_KIND_LITTLE, n))
        n++;
    assert_int_equal(n, LANE_LITTLES);
    assert_int_equal(look_at(at(1)), 0);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(lane_peek(at(1), LANE_SIGNALLED, 0, &m), 0);
        assert_int_equal(*(const u32 *)m.data, i);
        lane_take(at(1), LANE_SIGNALLED, 0);
    }
    assert_int_equal(lane_peek(at(1), LANE_SIGNALLED, 0, &m), -EAGAIN);
}

static int send_mail(unsigned from, u32 word)
{
    const u64 data[2] = { word };
    return lane_send(at(from), &(struct lane_message){ .size = 8, .data = (const u8 *)data });
}

/* A sender that sends whenever it may have `most` slots, and a receiver that takes any of those that wait: each is
 * offered in its order, none is lost or comes twice, and who waits for a slot is rung for it, as it looks at no other
 * time. `rare`: some are left in their slots at so many of 8 looks. */
static void exchange(unsigned row, unsigned most, unsigned rare)
{
    const u32 bits = row == LANE_MAILS ? LANE_SLOT_BITS : LANE_LITTLE_BITS;
    u32 seed = 1, sent = 0, offered = 0, taken = 0, left[LANE_SLOTS];
    lane[0].row[row].number = lane[1].row[row].next = 0u - 999 * LANE_STEP; /* they come round */
    for (unsigned step = 0; step < 40000; step++) {
        struct lane_message m;
        seed = seed * 1664525 + 1013904223;
        if (seed >> 31) {
            bool may = (unsigned)__builtin_popcount(bits & ~lane_free(&lane[0])) < most;
            if (may)
                sent += !(row == LANE_MAILS ? send_mail(0, sent) : send_little(0, LANE_KIND_LITTLE, sent));
            continue;
        }
        unsigned rings = noc_host_rings[0], n = 0;
        struct lane *l = at(1);
        look_at(l);
        bool leaves = (seed >> 23 & 7) < rare;
        for (; n < LANE_SLOTS && !lane_peek(l, row, n, &m); n++) {
            u32 word = *(const u32 *)m.data;
            assert_int_equal(word, word < offered ? left[n] : offered);
            left[n] = word;
            offered = MAX(offered, word + 1);
            if (leaves)
                lane_leave(l, row, n);
            else
                break;
        }
        if (!leaves && !lane_peek(l, row, 0, &m)) {
            lane_take(l, row, 0);
            memmove(left, left + 1, sizeof(left) - sizeof(*left));
            taken++;
        } else if (n && seed >> 26 & 3) {
            unsigned which = (seed >> 20 & 63) % n;
            lane_peek(l, row, which, &m);
            lane_take(l, row, which);
            memmove(left + which, left + which + 1, (LANE_SLOTS - which - 1) * sizeof(*left));
            taken++;
        }
        if (noc_host_rings[0] != rings)
            look_at(at(0));
    }
    assert_true(taken > 2000 && sent - taken <= most);
}

static void what_waits_in_its_slot_lets_later_ones_pass(void **state)
{
    for (unsigned rare = 0; rare <= 8; rare += 4) {
        setup(state);
        exchange(LANE_SIGNALLED, LANE_LITTLES, rare);
        for (unsigned most = LANE_RING; most <= LANE_SLOTS; most++) {
            setup(state);
            exchange(LANE_MAILS, most, rare);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_little_message_that_cannot_be_is_an_error, setup),
        cmocka_unit_test_setup(signals_have_slots_of_their_own, setup),
        cmocka_unit_test_setup(what_waits_in_its_slot_lets_later_ones_pass, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
