/* SPDX-License-Identifier: MIT */
/* test_ethernet.c - a card's driver (user/drivers/ethernet.h) with a card that keeps what it sends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <amalgam/tunnel.h>

#define CARD_FRAME 1514u
#define SIZE       (64u << 10)

struct card {
    uint8_t address[6];
    unsigned lost;
};

static uint8_t wire[8][CARD_FRAME];
static unsigned n_sent;

static bool card_send(struct card *c, const void *frame, size_t n)
{
    assert_true(n <= CARD_FRAME && n_sent < 8);
    memcpy(wire[n_sent++], frame, n);
    return true;
}

static int64_t card_begin(struct card *c) { return 0; }
static int64_t card_open(struct card *c, unsigned n) { return 0; }
static size_t card_take(struct card *c, uint8_t *frame) { return 0; }
static int64_t card_wait(struct card *c, uint64_t deadline) { return 0; }

/* The calls that the driver's loops make, which no test runs. */
#define AMALGAM_EACCES           13
#define AMALGAM_INFO_DOMAIN      0
#define AMALGAM_TUNNEL_INFO_PEER 0
static int64_t amalgam_info(unsigned what) { return 0; }
static int64_t amalgam_tunnel_info(unsigned index, unsigned what) { return 0; }
static int64_t amalgam_sleep_until(int64_t deadline) { return 0; }
static int64_t amalgam_wake(const uint32_t *word, uint32_t n) { return 0; }
static int64_t amalgam_wait(const uint32_t *word, uint32_t seen, uint64_t deadline)
{
    fail(); /* the card always has a place */
    return 0;
}
int64_t amalgam_tunnel_open(uint32_t index, struct amalgam_tunnel *t) { return 0; }
int64_t amalgam_tunnel_wait(uint32_t index, uint64_t deadline) { return 0; }
int64_t amalgam_tunnel_notify(uint32_t index) { return 0; }
int64_t amalgam_clock(void) { return 0; }

#define PROGRAM "ethernet"
#define main    driver
#pragma GCC diagnostic ignored "-Wreturn-type" /* only main() ends without a value */
#include "ethernet.h"
#undef main

static const uint8_t own[6] = { 0x52, 0x54, 0, 0x12, 0x34, 0x56 }, other[6] = { 2, 0x41, 0x4d, 0, 1, 0 };

static void put(struct frames *stack, const uint8_t address[6], uint8_t number, size_t n)
{
    uint8_t *to = frames_room(stack);
    assert_non_null(to);
    memset(to, 0xff, n);
    memcpy(to + 6, address, 6);
    to[12] = number;
    assert_true(frames_put(stack, n));
}

static void frames_of_another_address_than_the_cards_are_sent_to_nobody(void **state)
{
    static _Alignas(64) uint8_t memory[SIZE];
    struct frames stack;
    memcpy(card.address, own, sizeof own);
    assert_true(frames_begin(&frames, memory, SIZE, 0) && frames_begin(&stack, memory, SIZE, 1));
    put(&stack, other, 1, 60); /* a stack that has not seen the card's name */
    put(&stack, own, 2, 60);
    put(&stack, own, 3, CARD_FRAME + 1);
    put(&stack, own, 4, CARD_FRAME);
    put(&stack, other, 5, FRAMES_SHORTEST);
    put(&stack, own, 6, FRAMES_SHORTEST);
    send_all();
    assert_int_equal(n_sent, 3);
    for (unsigned i = 0; i < n_sent; i++) {
        assert_memory_equal(wire[i] + 6, own, sizeof own);
        assert_int_equal(wire[i][12], 2 + 2 * i);
    }
    assert_true(frames_room(&stack) && frames.taken == stack.put); /* none is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_another_address_than_the_cards_are_sent_to_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
