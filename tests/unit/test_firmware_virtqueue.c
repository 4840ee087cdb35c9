/* SPDX-License-Identifier: MIT */
/* The queues that the firmware of a many-core has for devices: what a device may say, and what a kernel may ask for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "virtqueue.c"

enum { STEPS = 20000, ROUNDS = 20 };

static const struct virtqueue_rule card = { .head = 12, .one_way = true }, disk = { .head = 16 };

static struct virtqueue queue, *const q = &queue;

static int setup(void **unused)
{
    memset(q, 0, sizeof(*q));
    virtqueue_begin(q);
    return 0;
}

static void says(u32 first, u32 written)
{
    q->used.done[q->used.index % QUEUE_PIECES].first = first;
    q->used.done[q->used.index % QUEUE_PIECES].written = written;
    q->used.index++;
}

/* A request of one piece. */
static long request(bool writes, ulong at, ulong n)
{
    long number = virtqueue_add(q, &card, writes, at, n);
    if (number >= 0)
        virtqueue_offer(q);
    return number;
}

static long done_with(long number, u32 bytes) { return number << DONE_SHIFT | bytes; }

static unsigned count_free(void)
{
    unsigned n = 0;
    bool found[QUEUE_PIECES] = { false };
    for (u8 i = q->free; i != NONE; i = q->next[i], n++) {
        assert_true(i < QUEUE_PIECES && !found[i]);
        found[i] = true;
    }
    return n;
}

/* The device is done with all that it has, each once: then all pieces are free. */
static int nothing_is_lost(void **unused)
{
    virtqueue_drop(q);
    q->used.index = q->seen;
    for (u32 i = 0; i < QUEUE_PIECES; i++) {
        says(i, 0);
        virtqueue_take(q);
    }
    assert_int_equal(count_free(), QUEUE_PIECES);
    return 0;
}

static void a_request_has_its_pieces_in_order(void **unused)
{
    long number = virtqueue_add(q, &disk, false, 0x1000, 16);
    assert_int_equal(virtqueue_add(q, &disk, true, 0x2000, 512), number);
    assert_int_equal(virtqueue_add(q, &disk, true, 0x3000, 1), number);
    assert_int_equal(q->offered.index, 0);
    assert_true(virtqueue_offer(q));
    assert_int_equal(q->offered.index, 1);
    assert_int_equal(q->offered.first[0], number);
    const struct piece *first = &q->piece[number], *second = &q->piece[first->next], *third = &q->piece[second->next];
    assert_true(first->at == 0x1000 && first->n == 16 && first->flags == PIECE_NEXT);
    assert_true(second->at == 0x2000 && second->n == 512 && second->flags == (PIECE_NEXT | PIECE_WRITES));
    assert_true(third->at == 0x3000 && third->n == 1 && third->flags == PIECE_WRITES);
    says((u32)number, 513);
    assert_int_equal(virtqueue_take(q), done_with(number, 513));
    assert_int_equal(virtqueue_take(q), SBI_ERR_FAILED);
}

/* An emulator ends by a frame that comes to a request of which the card may write less than a head. */
static void a_request_to_a_card_has_one_direction(void **unused)
{
    for (unsigned writes = 0; writes < 2; writes++) {
        assert_true(virtqueue_add(q, &card, writes, 0, 12) >= 0);
        assert_int_equal(virtqueue_add(q, &card, !writes, 0, 1), SBI_ERR_INVALID_ADDRESS);
        assert_true(virtqueue_add(q, &card, writes, 0, 1) >= 0);
        virtqueue_drop(q);
    }
    assert_true(virtqueue_add(q, &disk, false, 0, 16) >= 0);
    assert_true(virtqueue_add(q, &disk, true, 0, 1) >= 0);
    assert_int_equal(virtqueue_add(q, &disk, false, 0, 1), SBI_ERR_INVALID_ADDRESS);
}

static void what_ends_the_emulator_or_cannot_be_counted_is_refused(void **unused)
{
    assert_int_equal(request(true, 0, 0), SBI_ERR_INVALID_ADDRESS);
    assert_int_equal(request(true, 0, card.head - 1), SBI_ERR_INVALID_ADDRESS);
    assert_int_equal(request(true, 0, PIECE_MOST + 1), SBI_ERR_INVALID_ADDRESS);
    assert_int_equal(request(true, 0, ~0ul), SBI_ERR_INVALID_ADDRESS);
    assert_true(virtqueue_add(q, &card, true, 0, card.head) >= 0);
    assert_int_equal(virtqueue_add(q, &card, false, 0, card.head), SBI_ERR_INVALID_ADDRESS);
    assert_int_equal(virtqueue_add(q, &card, true, 0, 0), SBI_ERR_INVALID_ADDRESS);
    virtqueue_drop(q);
    for (unsigned i = 0; i < QUEUE_PIECES; i++)
        assert_true(virtqueue_add(q, &card, true, 0, PIECE_MOST) >= 0);
    assert_int_equal(virtqueue_add(q, &card, true, 0, card.head), SBI_ERR_FAILED);
    u8 first = q->first;
    virtqueue_offer(q);
    says(first, ~0u);
    assert_int_equal(virtqueue_take(q), done_with(first, QUEUE_PIECES * PIECE_MOST));
}

static void a_device_that_lies_about_requests_is_not_believed(void **unused)
{
    long number = virtqueue_add(q, &card, true, 0, 12);
    u32 lies[] = {
        QUEUE_PIECES, ~0u, 0x80000000, 17, 0x100 + (u32)number, (u32)virtqueue_add(q, &card, true, 0, 8) + 1
    };
    virtqueue_offer(q);
    for (unsigned i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        says(lies[i], 8);
        assert_int_equal(virtqueue_take(q), SBI_ERR_IO);
    }
    says((u32)number, ~0u);
    says((u32)number, 8);
    assert_int_equal(virtqueue_take(q), done_with(number, 20)); /* what it may write, at most */
    assert_int_equal(virtqueue_take(q), SBI_ERR_IO);            /* twice */
    number = request(false, 0, 100);
    says((u32)number, 1);
    assert_int_equal(virtqueue_take(q), done_with(number, 0));
    long made = virtqueue_add(q, &card, false, 0, 100); /* and not offered */
    says((u32)made, 0);
    assert_int_equal(virtqueue_take(q), SBI_ERR_IO);
}

static void what_a_device_writes_to_its_ring_is_not_read_back(void **unused)
{
    long number = request(true, 0, 12);
    memset(q->piece, 0xff, sizeof(q->piece));
    memset(&q->offered, 0xff, sizeof(q->offered));
    says((u32)number, 12);
    assert_int_equal(virtqueue_take(q), done_with(number, 12));
    assert_true(virtqueue_add(q, &disk, true, 0, 16) >= 0);
    memset(q->piece, 0, sizeof(q->piece));
    assert_int_equal(virtqueue_add(q, &disk, false, 0, 16), SBI_ERR_INVALID_ADDRESS); /* behind what is written */
}

/* A kernel that asks for anything, and a device that says anything, in any order. */
static void no_piece_is_lost_or_there_twice_whatever_both_do(void **unused)
{
    srand(34);
    for (unsigned round = 0; round < ROUNDS; round++) {
        setup(NULL);
        for (unsigned i = 0; i < STEPS / ROUNDS; i++) {
            unsigned dice = (unsigned)rand(), what = dice % 8;
            if (what < 3)
                virtqueue_add(q, dice & 0x100 ? &disk : &card, dice & 8, 0, dice & 16 ? dice >> 5 & 0x7ffff : 64) < 0
                    ? virtqueue_drop(q)
                    : (void)0;
            else if (what < 5)
                q->first != NONE ? (void)virtqueue_offer(q) : (void)0;
            else if (what < 7)
                says(dice & 8 ? dice >> 4 & 63 : dice >> 4, dice);
            else if (dice & 8)
                q->used.index = (u16)(dice >> 8);
            long back = virtqueue_take(q);
            assert_true(back >= 0 ? back >> DONE_SHIFT < (long)QUEUE_PIECES
                                  : back == SBI_ERR_IO || back == SBI_ERR_FAILED);
        }
        nothing_is_lost(NULL);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, nothing_is_lost)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_request_has_its_pieces_in_order),
        TEST(a_request_to_a_card_has_one_direction),
        TEST(what_ends_the_emulator_or_cannot_be_counted_is_refused),
        TEST(a_device_that_lies_about_requests_is_not_believed),
        TEST(what_a_device_writes_to_its_ring_is_not_read_back),
        TEST(no_piece_is_lost_or_there_twice_whatever_both_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
