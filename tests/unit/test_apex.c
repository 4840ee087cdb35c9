/* SPDX-License-Identifier: MIT */
/* ARINC 653 ports over a tunnel: what they promise, and what a peer that writes anything into the memory can do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <apex_ends.h>

static uint8_t *tunnel;
static SAMPLING_PORT_ID_TYPE speed[2];
static QUEUING_PORT_ID_TYPE orders[2];
static RETURN_CODE_TYPE code;

static void start(int end)
{
    volatile void *memory[1] = { tunnel };
    uint32_t size[1] = { TUNNEL_BYTES };
    be(end);
    assert_int_equal(apex_configure(ends_ports[end], 2, memory, size, 1), NO_ERROR);
    CREATE_SAMPLING_PORT("speed", 60, ends_ports[end][0].direction, 5000000, &speed[end], &code);
    assert_int_equal(code, NO_ERROR);
    CREATE_QUEUING_PORT("orders", 33, 4, ends_ports[end][1].direction, FIFO, &orders[end], &code);
    assert_int_equal(code, NO_ERROR);
}

static int setup(void **state)
{
    tunnel = calloc(1, TUNNEL_BYTES);
    start(0);
    start(1);
    return 0;
}

static int teardown(void **state)
{
    free(tunnel);
    return 0;
}

static void write_speed(const char *text)
{
    be(0);
    WRITE_SAMPLING_MESSAGE(speed[0], (const uint8_t *)text, strlen(text) + 1, &code);
    assert_int_equal(code, NO_ERROR);
}

static void send(const char *text, RETURN_CODE_TYPE expected)
{
    be(0);
    SEND_QUEUING_MESSAGE(orders[0], (const uint8_t *)text, strlen(text) + 1, 0, &code);
    assert_int_equal(code, expected);
}

static void receive(const char *text, RETURN_CODE_TYPE expected)
{
    uint8_t message[33];
    MESSAGE_SIZE_TYPE length;
    be(1);
    RECEIVE_QUEUING_MESSAGE(orders[1], 0, message, &length, &code);
    assert_int_equal(code, expected);
    if (text) {
        assert_int_equal(length, strlen(text) + 1);
        assert_string_equal((char *)message, text);
    } else
        assert_int_equal(length, 0);
}

static void sampling_gives_the_newest_and_its_validity(void **state)
{
    uint8_t message[60];
    MESSAGE_SIZE_TYPE length;
    VALIDITY_TYPE validity;
    be(1);
    READ_SAMPLING_MESSAGE(speed[1], message, &length, &validity, &code);
    assert_int_equal(code, NO_ACTION);
    assert_int_equal(validity, INVALID);
    for (int i = 0; i < 5; i++) {
        char text[8] = { 'v', (char)('0' + i) };
        write_speed(text);
        be(1);
        READ_SAMPLING_MESSAGE(speed[1], message, &length, &validity, &code);
        assert_int_equal(code, NO_ERROR);
        assert_string_equal((char *)message, text);
        assert_int_equal(validity, VALID);
    }
    fake_now += 5000001; /* older than its refresh period */
    READ_SAMPLING_MESSAGE(speed[1], message, &length, &validity, &code);
    assert_int_equal(code, NO_ERROR);
    assert_int_equal(validity, INVALID);
    SAMPLING_PORT_STATUS_TYPE status;
    GET_SAMPLING_PORT_STATUS(speed[1], &status, &code);
    assert_int_equal(status.LAST_MSG_VALIDITY, INVALID);
    assert_int_equal(status.MAX_MESSAGE_SIZE, 60);
    assert_int_equal(status.REFRESH_PERIOD, 5000000);
}

/* The other core's clock may be a little ahead; a message from far ahead would be valid for ever. */
static void a_clock_a_little_ahead_is_right_and_far_ahead_a_lie(void **state)
{
    const uint64_t ahead[] = { 1, 1000000, 1000001, 1000000000 };
    for (int i = 0; i < 4; i++) {
        uint8_t message[60];
        MESSAGE_SIZE_TYPE length;
        VALIDITY_TYPE validity;
        fake_now += ahead[i];
        write_speed("v");
        fake_now -= ahead[i];
        be(1);
        READ_SAMPLING_MESSAGE(speed[1], message, &length, &validity, &code);
        assert_int_equal(validity, i < 2 ? VALID : INVALID);
    }
}

static void queuing_keeps_order_and_reports_overflow(void **state)
{
    receive(NULL, NOT_AVAILABLE);
    send("a", NO_ERROR);
    send("b", NO_ERROR);
    receive("a", NO_ERROR);
    send("c", NO_ERROR);
    send("d", NO_ERROR);
    send("e", NO_ERROR);
    QUEUING_PORT_STATUS_TYPE status;
    GET_QUEUING_PORT_STATUS(orders[0], &status, &code);
    assert_int_equal(status.NB_MESSAGE, 4);
    send("lost", NOT_AVAILABLE);
    receive("b", NO_ERROR);
    send("f", NO_ERROR);
    receive("c", NO_ERROR);
    receive("d", NO_ERROR);
    receive("e", NO_ERROR);
    receive("f", INVALID_CONFIG); /* with the message: one before it was lost */
    receive(NULL, NOT_AVAILABLE);
    for (int i = 0; i < 1000; i++) {
        send("again", NO_ERROR);
        receive("again", NO_ERROR);
    }
}

static void waiting_ends_in_time(void **state)
{
    uint8_t message[33];
    MESSAGE_SIZE_TYPE length;
    be(1);
    uint64_t before = fake_now;
    RECEIVE_QUEUING_MESSAGE(orders[1], 50000, message, &length, &code);
    assert_int_equal(code, TIMED_OUT);
    assert_in_range(fake_now - before, 50000, 52000);
}

static void wrong_use_is_refused(void **state)
{
    uint8_t message[60] = { 0 };
    MESSAGE_SIZE_TYPE length;
    VALIDITY_TYPE validity;
    int32_t id;
    be(0);
    WRITE_SAMPLING_MESSAGE(speed[0], message, 61, &code);
    assert_int_equal(code, INVALID_CONFIG);
    WRITE_SAMPLING_MESSAGE(speed[0], message, 0, &code);
    assert_int_equal(code, INVALID_PARAM);
    WRITE_SAMPLING_MESSAGE(orders[0], message, 1, &code);
    assert_int_equal(code, INVALID_PARAM);
    WRITE_SAMPLING_MESSAGE(-1, message, 1, &code);
    assert_int_equal(code, INVALID_PARAM);
    READ_SAMPLING_MESSAGE(speed[0], message, &length, &validity, &code);
    assert_int_equal(code, INVALID_MODE);
    CREATE_SAMPLING_PORT("speed", 60, SOURCE, 1, &id, &code);
    assert_int_equal(code, NO_ACTION);
    CREATE_SAMPLING_PORT("height", 60, SOURCE, 1, &id, &code);
    assert_int_equal(code, INVALID_CONFIG);
    GET_SAMPLING_PORT_ID("speed", &id, &code);
    assert_int_equal(id, speed[0]);
    be(1);
    WRITE_SAMPLING_MESSAGE(speed[1], message, 1, &code);
    assert_int_equal(code, INVALID_MODE);
    SEND_QUEUING_MESSAGE(orders[1], message, 1, 0, &code);
    assert_int_equal(code, INVALID_MODE);
}

static void boxes_must_fit(void **state)
{
    volatile void *memory[1] = { tunnel };
    uint32_t small[1] = { 100 };
    assert_int_equal(apex_configure(ends_ports[0], 2, memory, small, 1), INVALID_CONFIG);
    struct apex_port huge = { "x", 0, 0x100000, 0x1000, SOURCE };
    uint32_t size[1] = { TUNNEL_BYTES };
    assert_int_equal(apex_configure(&huge, 1, memory, size, 1), INVALID_CONFIG);
}

static void either_end_may_start_again(void **state)
{
    for (int i = 0; i < 50; i++) {
        send("x", NO_ERROR);
        receive("x", NO_ERROR);
    }
    start(0);
    send("new", NO_ERROR);
    be(1);
    uint8_t message[33];
    MESSAGE_SIZE_TYPE length;
    RECEIVE_QUEUING_MESSAGE(orders[1], 10000, message, &length, &code);
    assert_string_equal((char *)message, "new");
    send("not taken", NO_ERROR);
    start(1);
    receive("not taken", NO_ERROR);
    send("newer", NO_ERROR);
    receive("newer", NO_ERROR);
}

/* A peer that writes one word anywhere between two calls: never more than max_message_size, never more than slots. */
static void no_word_of_the_peer_is_believed(void **state)
{
    static const uint32_t evil[] = { 0, 1, 32, 34, 60, 61, 0x7fffffff, 0x80000000, 0xffffffff };
    for (uint32_t at = 0; at < 400; at += 4)
        for (unsigned e = 0; e < sizeof(evil) / 4; e++) {
            MESSAGE_SIZE_TYPE length = 0;
            VALIDITY_TYPE validity;
            uint8_t *sampled = malloc(60), *queued = malloc(33);
            write_speed("speed");
            be(0);
            SEND_QUEUING_MESSAGE(orders[0], (const uint8_t *)"order", 6, 0, &code);
            memcpy(tunnel + at, &evil[e], 4);
            be(1);
            READ_SAMPLING_MESSAGE(speed[1], sampled, &length, &validity, &code);
            assert_true(code == NO_ACTION || (length <= 60 && code == NO_ERROR));
            RECEIVE_QUEUING_MESSAGE(orders[1], 0, queued, &length, &code);
            assert_true(length <= 33);
            QUEUING_PORT_STATUS_TYPE status;
            GET_QUEUING_PORT_STATUS(orders[1], &status, &code);
            assert_true(status.NB_MESSAGE <= 4);
            free(sampled);
            free(queued);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        T(sampling_gives_the_newest_and_its_validity),
        T(a_clock_a_little_ahead_is_right_and_far_ahead_a_lie),
        T(queuing_keeps_order_and_reports_overflow),
        T(waiting_ends_in_time),
        T(wrong_use_is_refused),
        T(boxes_must_fit),
        T(either_end_may_start_again),
        T(no_word_of_the_peer_is_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
