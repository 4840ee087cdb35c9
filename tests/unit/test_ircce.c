/* SPDX-License-Identifier: MIT */
/* iRCCE: requests go on in each call that waits, keep their order, and are refused, cancelled and found as they must
 * be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <iRCCE.h>

#include "ues.h"

#define MOST 20000

static char out[RCCE_MAXNP][MOST], in[RCCE_MAXNP][MOST];
static iRCCE_SEND_REQUEST send[RCCE_MAXNP], second;
static iRCCE_RECV_REQUEST recv[RCCE_MAXNP], next;

static void fill(char *to, int from, int dest)
{
    for (int i = 0; i < MOST; i++)
        to[i] = (char)(i * 31 + i / 256 + from * 7 + dest);
}

static const ssize_t sizes[] = { 1, 32, HALF, HALF + 1, 2 * HALF + 1, MOST };
#define N_SIZES (int)(sizeof(sizes) / sizeof(sizes[0]))

/* Everyone to everyone, all requests open at a time: with blocking calls in this order nobody would get on. */
static void post_all(ssize_t size, iRCCE_WAIT_LIST *list)
{
    int n = RCCE_num_ues(), me = RCCE_ue();
    for (int step = 1; step < n; step++) {
        int ue = (me + step) % n;
        fill(out[ue], me, ue);
        memset(in[ue], 0x55, MOST);
        int sending = iRCCE_isend(out[ue], size, ue, &send[ue]);
        CHECK(sending == iRCCE_SUCCESS || sending == iRCCE_PENDING || (step > 1 && sending == iRCCE_RESERVED));
        int receiving = iRCCE_irecv(in[ue], size, ue, &recv[ue]);
        CHECK(receiving == iRCCE_SUCCESS || receiving == iRCCE_PENDING);
        iRCCE_add_to_wait_list(list, &send[ue], &recv[ue]);
    }
}

static void check_all(ssize_t size)
{
    static char want[MOST];
    int me = RCCE_ue();
    for (int ue = 0; ue < RCCE_num_ues(); ue++) {
        if (ue == me)
            continue;
        fill(want, ue, me);
        CHECK(!memcmp(in[ue], want, (size_t)size) && (size == MOST || in[ue][size] == 0x55));
    }
    CHECK(!rcce.push && !rcce.out_open);
}

static void exchange(void)
{
    iRCCE_WAIT_LIST list;
    iRCCE_SEND_REQUEST *s;
    iRCCE_RECV_REQUEST *r;
    int n = RCCE_num_ues(), test;
    CHECK(iRCCE_init() == RCCE_SUCCESS);
    iRCCE_init_wait_list(&list);
    for (int i = 0; i < N_SIZES; i++) {
        post_all(sizes[i], &list);
        switch (i % 4) {
        case 0: CHECK(iRCCE_wait_all(&list) == iRCCE_SUCCESS); break;
        case 1:
            while (iRCCE_test_all(&list, &test) == iRCCE_PENDING)
                CHECK(!test);
            CHECK(test == 1);
            break;
        case 2:
            for (int k = 0; k < 2 * (n - 1); k++)
                CHECK(iRCCE_wait_any(&list, &s, &r) == iRCCE_SUCCESS && !s != !r && (s ? s->finished : r->finished));
            break;
        default: CHECK(iRCCE_isend_wait(NULL) == iRCCE_SUCCESS && iRCCE_irecv_wait(NULL) == iRCCE_SUCCESS);
        }
        CHECK(iRCCE_test_all(&list, &test) == iRCCE_SUCCESS && test == 1);
        CHECK(iRCCE_test_any(&list, &s, &r) == iRCCE_NOT_ENQUEUED && !s && !r);
        check_all(sizes[i]);
    }
}

static void everyone_sends_to_everyone_at_a_time(void **state)
{
    ues(2, exchange);
    ues(5, exchange);
}

/* Each of these waits with requests open whose other side waits for them. */
static void block(void)
{
    int me = RCCE_ue(), other = !me;
    char token = (char)(me + 1), got = 0;
    fill(out[other], me, other);
    RCCE_barrier(&RCCE_COMM_WORLD);
    if (me) {
        CHECK(RCCE_recv(in[0], MOST, 0) == RCCE_SUCCESS);
        CHECK(RCCE_send(&token, 1, 0) == RCCE_SUCCESS);
        CHECK(RCCE_recv(in[0], MOST, 0) == RCCE_SUCCESS);
        RCCE_barrier(&RCCE_COMM_WORLD);
        CHECK(iRCCE_irecv(&got, 1, 0, &recv[0]) == iRCCE_PENDING);
        RCCE_barrier(&RCCE_COMM_WORLD);
        CHECK(RCCE_recv(in[0], 8, 0) == RCCE_SUCCESS && recv[0].finished && got == 1);
    } else {
        CHECK(iRCCE_isend(out[1], MOST, 1, &send[1]) == iRCCE_PENDING);
        CHECK(RCCE_recv(&got, 1, 1) == RCCE_SUCCESS && got == 2); /* recv pushes the send */
        CHECK(iRCCE_isend_wait(&send[1]) == iRCCE_SUCCESS);
        CHECK(iRCCE_isend(out[1], MOST, 1, &send[1]) == iRCCE_PENDING);
        RCCE_barrier(&RCCE_COMM_WORLD); /* the barrier, too */
        CHECK(iRCCE_isend_wait(&send[1]) == iRCCE_SUCCESS);
        RCCE_barrier(&RCCE_COMM_WORLD);
        CHECK(iRCCE_isend(&token, 1, 1, &send[1]) != iRCCE_RESERVED);
        CHECK(RCCE_send(out[1], 8, 1) == RCCE_SUCCESS && send[1].finished); /* behind the request */
    }
}

static void blocking_calls_make_progress_with_requests_open(void **state) { ues(2, block); }

static void order(void)
{
    int test = 7, other = !RCCE_ue();
    if (RCCE_ue()) {
        CHECK(iRCCE_irecv(in[0], 8, 0, &recv[0]) == iRCCE_PENDING && iRCCE_irecv(in[1], 8, 0, &next) == iRCCE_RESERVED);
        CHECK(iRCCE_irecv_test(&next, &test) == iRCCE_RESERVED && !test);
        CHECK(iRCCE_irecv_test(&recv[0], &test) == iRCCE_PENDING && !test);
        CHECK(iRCCE_irecv(in[2], 8, 0, &next) == iRCCE_ERROR); /* it is open */
        CHECK(iRCCE_irecv_cancel(&next, &test) == iRCCE_SUCCESS && test);
        CHECK(iRCCE_irecv_cancel(&next, &test) == iRCCE_NOT_ENQUEUED && !test);
        CHECK(iRCCE_irecv_test(&next, &test) == iRCCE_NOT_ENQUEUED);
        CHECK(RCCE_recv_test(in[3], 8, 0, &test) == RCCE_SUCCESS && !test); /* what comes is the request's */
        RCCE_barrier(&RCCE_COMM_WORLD);
        CHECK(iRCCE_irecv_wait(&recv[0]) == iRCCE_SUCCESS && !memcmp(in[0], "1234567", 8));
        CHECK(iRCCE_irecv_test(&recv[0], NULL) == iRCCE_SUCCESS && iRCCE_irecv_push() == iRCCE_SUCCESS);
    } else {
        char text[] = "1234567";
        CHECK(iRCCE_isend(text, 0, other, &send[0]) == iRCCE_SUCCESS && send[0].finished);
        CHECK(iRCCE_isend(text, -5, other, &send[0]) == iRCCE_SUCCESS);
        RCCE_barrier(&RCCE_COMM_WORLD);
        CHECK(iRCCE_isend(text, 8, other, &send[0]) != iRCCE_RESERVED && iRCCE_isend_wait(&send[0]) == iRCCE_SUCCESS);
    }
    RCCE_barrier(&RCCE_COMM_WORLD);
    if (!RCCE_ue()) { /* nobody receives yet */
        CHECK(iRCCE_isend(out[0], 8, other, &send[0]) == iRCCE_PENDING);
        CHECK(iRCCE_isend(out[1], 8, other, &second) == iRCCE_RESERVED);
        CHECK(iRCCE_isend(out[1], 8, other, &second) == iRCCE_ERROR && iRCCE_isend_push() == iRCCE_PENDING);
        CHECK(iRCCE_isend_test(&second, &test) == iRCCE_RESERVED && iRCCE_isend_test(NULL, &test) == iRCCE_PENDING);
        CHECK(iRCCE_isend_cancel(&send[0], &test) == iRCCE_PENDING &&
              iRCCE_isend_cancel(&second, &test) == iRCCE_SUCCESS);
        CHECK(iRCCE_isend_test(&second, &test) == iRCCE_NOT_ENQUEUED && !test);
        RCCE_barrier(&RCCE_COMM_WORLD);
        CHECK(iRCCE_isend_wait(NULL) == iRCCE_SUCCESS);
    } else {
        RCCE_barrier(&RCCE_COMM_WORLD);
        CHECK(iRCCE_irecv(in[0], 8, 0, NULL) == RCCE_SUCCESS);
    }
    CHECK(!rcce.push && !rcce.out_open && !rcce.in_open[other]);
}

static void requests_keep_their_order_and_can_be_cancelled_behind_others(void **state) { ues(2, order); }

static void refuse(void)
{
    iRCCE_WAIT_LIST list;
    iRCCE_SEND_REQUEST *s;
    int other = !RCCE_ue();
    CHECK(iRCCE_isend(out[0], 8, 2, &send[0]) == RCCE_ERROR_ID && iRCCE_irecv(in[0], 8, -2, &recv[0]) == RCCE_ERROR_ID);
    CHECK(iRCCE_isend(out[0], 8, RCCE_ue(), &send[0]) == RCCE_ERROR_ID);
    CHECK(iRCCE_isend(NULL, 8, other, &send[0]) == RCCE_ERROR_VAL_UNDEFINED);
    CHECK(iRCCE_irecv(NULL, 8, other, &recv[0]) == RCCE_ERROR_VAL_UNDEFINED);
    CHECK(iRCCE_isend_cancel(NULL, NULL) == iRCCE_NOT_ENQUEUED && iRCCE_irecv_cancel(NULL, NULL) == iRCCE_NOT_ENQUEUED);
    iRCCE_init_wait_list(&list);
    CHECK(iRCCE_test_all(NULL, NULL) == RCCE_ERROR_VAL_UNDEFINED && iRCCE_wait_all(NULL) == RCCE_ERROR_VAL_UNDEFINED);
    CHECK(iRCCE_wait_any(&list, &s, NULL) == RCCE_ERROR_VAL_UNDEFINED);
    CHECK(!rcce.push);
}

static void wrong_arguments_are_refused(void **state) { ues(2, refuse); }

/* A byte of another core's that cannot be is as none: the request stays open, nothing is written outside. */
static void rubbish(void)
{
    if (RCCE_ue() == 0) {
        memset(in, 0x55, sizeof(in));
        CHECK(iRCCE_irecv(in[1], 8, 1, &recv[1]) == iRCCE_PENDING);
        for (int value = 2; value < 256; value++) {
            rcce.own->sent[0][1] = (u8)value;
            CHECK(iRCCE_irecv_test(&recv[1], NULL) == iRCCE_PENDING && in[1][0] == 0x55);
        }
        rcce.own->sent[0][1] = 0;
    }
    RCCE_barrier(&RCCE_COMM_WORLD);
    if (RCCE_ue())
        CHECK(RCCE_send(out[0], 8, 0) == RCCE_SUCCESS);
    else
        CHECK(iRCCE_irecv_wait(&recv[1]) == iRCCE_SUCCESS && in[1][8] == 0x55);
}

static void rubbish_finishes_no_request(void **state) { ues(2, rubbish); }

static void gory(void)
{
    CHECK(iRCCE_isend(out[0], 8, !RCCE_ue(), &send[0]) == RCCE_ERROR_MALLOC);
    CHECK(iRCCE_irecv(in[0], 8, !RCCE_ue(), &recv[0]) == RCCE_ERROR_MALLOC);
}

static void it_stands_upon_the_simple_interface(void **state)
{
    assert_int_equal(iRCCE_init(), RCCE_ERROR_COMM_UNDEFINED);
    ues_with(2, gory, RCCE_init_gory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(everyone_sends_to_everyone_at_a_time, ues_clear),
        cmocka_unit_test_setup(blocking_calls_make_progress_with_requests_open, ues_clear),
        cmocka_unit_test_setup(requests_keep_their_order_and_can_be_cancelled_behind_others, ues_clear),
        cmocka_unit_test_setup(wrong_arguments_are_refused, ues_clear),
        cmocka_unit_test_setup(rubbish_finishes_no_request, ues_clear),
        cmocka_unit_test_setup(it_stands_upon_the_simple_interface, ues_clear),
    };
    return cmocka_run_group_tests(tests, ues_setup, NULL);
}
