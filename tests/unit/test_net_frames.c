/* SPDX-License-Identifier: MIT */
/* Frames in a tunnel's memory (user/net/frames.h): both ends honest, one that begins again at any moment, one that
 * writes rubbish. */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "frames.h"

#define SIZE (64u << 10)

static struct frames end[2];
static char *memory;

static int begin(void **state)
{
    memory = aligned_alloc(64, SIZE);
    memset(memory, 0, SIZE);
    assert_true(frames_begin(&end[0], memory, SIZE, 0) && frames_begin(&end[1], memory, SIZE, 1));
    return 0;
}

static int finish(void **state)
{
    free(memory);
    return 0;
}

/* Put a frame that tells its number in all of its bytes. */
static bool put(struct frames *f, uint32_t number, size_t length)
{
    uint8_t *at = frames_room(f);
    if (!at)
        return false;
    memset(at, (int)(number * 7 & 0xff), length);
    memcpy(at, &number, sizeof number);
    assert_true(frames_put(f, length));
    return true;
}

static bool take(struct frames *f, uint32_t *number, size_t *length)
{
    const uint8_t *at = frames_look(f, length);
    if (!at)
        return false;
    memcpy(number, at, sizeof *number);
    for (size_t i = sizeof *number; i < *length; i++)
        assert_int_equal(at[i], *number * 7 & 0xff);
    frames_taken(f);
    return true;
}

static void frames_come_in_order_with_their_bytes_in_both_directions(void **state)
{
    uint32_t sent[2] = { 0 }, got[2] = { 0 }, number;
    size_t length;
    for (unsigned i = 0; i < 200000; i++) {
        unsigned e = (unsigned)rand() % 2;
        if (rand() % 2) {
            bool full = sent[e] - got[!e] == end[e].slots;
            assert_int_equal(put(&end[e], sent[e], FRAMES_SHORTEST + sent[e] % 1500), !full);
            sent[e] += !full;
        } else if (take(&end[e], &number, &length)) {
            assert_int_equal(number, got[e]);
            assert_int_equal(length, FRAMES_SHORTEST + number % 1500);
            got[e]++;
        } else {
            assert_int_equal(got[e], sent[!e]);
        }
    }
    assert_true(got[0] > 1000 && got[1] > 1000 && !end[0].dropped && !end[1].dropped);
    assert_true(!end[0].emptied_in && !end[0].emptied_out && !end[1].emptied_in && !end[1].emptied_out);
}

static void counters_come_round(void **state)
{
    uint32_t number;
    size_t length;
    end[0].put = end[0].own->put = end[1].taken = end[1].own->taken = UINT32_MAX - 5;
    for (uint32_t i = 0; i < 100; i++) {
        assert_true(put(&end[0], 2 * i, 60) && put(&end[0], 2 * i + 1, 60));
        assert_true(take(&end[1], &number, &length) && number == 2 * i);
        assert_true(take(&end[1], &number, &length) && number == 2 * i + 1 && !take(&end[1], &number, &length));
    }
    assert_true(!end[0].emptied_out && !end[1].emptied_in);
}

/* As many slots as the memory has room for, each within it, whatever its size. */
static void a_ring_lies_in_its_memory(void **state)
{
    for (size_t size = 0; size < 1u << 20; size += 509) {
        struct frames a, b;
        bool fits = frames_begin(&a, memory, size < SIZE ? size : SIZE, 0);
        assert_int_equal(fits, size >= FRAMES_SLOTS_AT + 2 * FRAMES_SLOT_SIZE);
        if (!fits)
            continue;
        assert_true(frames_begin(&b, memory, size < SIZE ? size : SIZE, 1));
        size_t all = FRAMES_SLOTS_AT + (size_t)2 * a.slots * FRAMES_SLOT_SIZE;
        assert_true(all <= size && (size >= SIZE || all + (size_t)2 * a.slots * FRAMES_SLOT_SIZE > size));
        assert_true(a.out == b.in && a.in == b.out && a.own == b.other && a.other == b.own);
        assert_true((char *)(a.in + a.slots) - memory == (ptrdiff_t)all && a.in == a.out + a.slots);
    }
}

static void what_is_no_frame_is_not_put(void **state)
{
    static const size_t lengths[] = { 0, FRAMES_SHORTEST - 1, FRAMES_LONGEST + 1, 65536 + 60, SIZE_MAX };
    size_t length;
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        assert_non_null(frames_room(&end[0]));
        assert_false(frames_put(&end[0], lengths[i]));
        assert_null(frames_look(&end[1], &length));
    }
}

/* All that the other end can write is rubbish, again and again: nothing outside is touched (ASan has the memory's
 * ends), and no look takes more than a ring. */
static void a_hostile_end_costs_at_most_a_ring_and_reaches_nothing(void **state)
{
    uint32_t looks = 0;
    size_t length;
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 20000; i++) {
        for (unsigned k = rand() % 4u; k > 0; k--) {
            unsigned where = (unsigned)rand();
            uint32_t near = (where & 8 ? end[0].put : end[0].taken) + (uint32_t)rand() % 20;
            if (where % 4 == 0)
                ((uint32_t *)memory)[where / 16 % (FRAMES_SLOTS_AT / 4)] = (uint32_t)rand() * 2;
            else if (where % 4 == 1)
                *(where & 4 ? &end[1].own->put : &end[1].own->taken) = near;
            else
                end[0].in[where / 4 % end[0].slots].length = (uint16_t)(rand() % (rand() % 2 ? 0x10000 : 1600));
        }
        const uint8_t *at = frames_look(&end[0], &length);
        if (at) {
            assert_true(length >= FRAMES_SHORTEST && length <= FRAMES_LONGEST);
            for (size_t k = 0; k < length; k++)
                sum = sum + at[k];
            frames_taken(&end[0]);
            looks++;
        }
        uint8_t *to = frames_room(&end[0]);
        if (to) {
            memset(to, 0xa5, FRAMES_LONGEST);
            frames_put(&end[0], (size_t)rand() % 2000);
        }
        frames_bell(&end[0]);
        frames_sleep(&end[0]);
    }
    assert_true(looks > 100 && end[0].dropped > 100 && end[0].emptied_in > 100 && end[0].emptied_out > 100);
}

/* One that had ended in any state, with any words left, and begins again: what both put afterwards comes, in order. */
static void after_an_end_has_begun_again_frames_flow_again(void **state)
{
    uint32_t number = 0;
    size_t length;
    for (unsigned round = 0; round < 3000; round++) {
        unsigned e = (unsigned)rand() % 2;
        for (int k = rand() % 20; k > 0; k--)
            put(&end[rand() % 2], number++, 60);
        for (int k = rand() % 10; k > 0; k--)
            take(&end[rand() % 2], &number, &length);
        if (rand() % 3 == 0) {
            end[e].own->put = (uint32_t)rand();
            end[e].own->taken = (uint32_t)rand();
        }
        assert_true(frames_begin(&end[e], memory, SIZE, e));
        for (unsigned k = 0; k < 2 * end[0].slots; k++) /* what was there is lost or comes, but not for ever */
            if (!frames_look(&end[!e], &length))
                break;
            else
                frames_taken(&end[!e]);
        assert_false(frames_look(&end[!e], &length));
        for (unsigned from = 0; from < 2; from++)
            for (uint32_t k = 0; k < 100; k++) {
                uint32_t seen;
                assert_true(put(&end[from], k, 100) && take(&end[!from], &seen, &length));
                assert_true(seen == k && length == 100);
            }
    }
}

static void a_bell_is_asked_for_once_and_only_by_who_sleeps(void **state)
{
    uint32_t number;
    size_t length;
    assert_true(put(&end[0], 1, 60));
    assert_false(frames_bell(&end[0]));
    assert_false(frames_sleep(&end[1])); /* there is one already */
    assert_true(take(&end[1], &number, &length) && frames_sleep(&end[1]));
    assert_true(put(&end[0], 2, 60) && frames_bell(&end[0]));
    assert_true(put(&end[0], 3, 60) && !frames_bell(&end[0]));
    frames_sleep(&end[1]);
    frames_awake(&end[1]);
    assert_false(frames_bell(&end[0]));
}

static void a_stack_is_told_of_the_card_at_the_other_end(void **state)
{
    static const uint8_t card[6] = { 0x52, 0x54, 0, 1, 2, 3 };
    uint8_t address[6];
    bool link;
    assert_false(frames_card(&end[1], address, &link));
    frames_tell_card(&end[0], card, true);
    assert_true(frames_card(&end[1], address, &link) && link && !memcmp(address, card, 6));
    frames_tell_card(&end[0], card, false);
    assert_true(frames_card(&end[1], address, &link) && !link);
}

/* --- two processors ---------------------------------------------------------------------------------------------- */

#define LOT 100000u

static sem_t bell;

static void *writer(void *unused)
{
    for (uint32_t i = 0; i < LOT;) {
        bool done = put(&end[0], i, FRAMES_SHORTEST + i % 1500);
        i += done;
        if (done && frames_bell(&end[0]))
            sem_post(&bell);
        if (i % 997 == 0)
            sched_yield();
    }
    return unused;
}

static void no_frame_and_no_bell_is_lost_between_two_processors(void **state)
{
    pthread_t other;
    uint32_t number, slept = 0;
    size_t length;
    sem_init(&bell, 0, 0);
    pthread_create(&other, NULL, writer, NULL);
    for (uint32_t i = 0; i < LOT;) {
        if (take(&end[1], &number, &length)) {
            assert_int_equal(number, i);
            assert_int_equal(length, FRAMES_SHORTEST + i % 1500);
            i++;
        } else if (frames_sleep(&end[1])) {
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_sec += 10;
            assert_int_equal(sem_timedwait(&bell, &until), 0); /* nobody sleeps beside a frame */
            slept++;
        }
    }
    pthread_join(other, NULL);
    assert_true(slept && !end[1].dropped && !end[1].emptied_in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(frames_come_in_order_with_their_bytes_in_both_directions, begin, finish),
        cmocka_unit_test_setup_teardown(counters_come_round, begin, finish),
        cmocka_unit_test_setup_teardown(a_ring_lies_in_its_memory, begin, finish),
        cmocka_unit_test_setup_teardown(what_is_no_frame_is_not_put, begin, finish),
        cmocka_unit_test_setup_teardown(a_hostile_end_costs_at_most_a_ring_and_reaches_nothing, begin, finish),
        cmocka_unit_test_setup_teardown(after_an_end_has_begun_again_frames_flow_again, begin, finish),
        cmocka_unit_test_setup_teardown(a_bell_is_asked_for_once_and_only_by_who_sleeps, begin, finish),
        cmocka_unit_test_setup_teardown(a_stack_is_told_of_the_card_at_the_other_end, begin, finish),
        cmocka_unit_test_setup_teardown(no_frame_and_no_bell_is_lost_between_two_processors, begin, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
