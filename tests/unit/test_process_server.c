/* SPDX-License-Identifier: MIT */
/* test_process_server.c - the table of a process server: whose its processes are, what is done once, shares, silent
 * clients, random messages. The kernel beneath has SLOTS slots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "process/table.h"

#define SLOTS   6
#define SHARE   4
#define THREADS 3
#define ROOM    1000
#define PROGRAM 300 /* bytes: four messages */

static struct processes p;
static unsigned char memory[PROCESSES_UPLOADS * (ROOM + PROCESSES_TEXTS)];
static uint64_t now;
static uint32_t tag;

/* The kernel: what runs in each slot, and how it has ended. */
static struct slot {
    uint32_t child;
    bool ended;
    uint32_t status;
    unsigned written; /* bytes of output that nobody has read */
    bool piped;
} slots[SLOTS];
static uint32_t children;
static unsigned starts, kills;
static uint8_t next_byte; /* of output */

static int64_t start(const struct processes_upload *u, uint32_t argc, uint32_t envc, uint32_t *output)
{
    (void)argc;
    (void)envc;
    if (u->memory[0] == 0xbd)
        return -8;
    for (unsigned i = 0; i < SLOTS; i++)
        if (!slots[i].child) {
            for (unsigned k = 0; k < u->size; k++)
                assert_int_equal(u->memory[k], (unsigned char)(k + u->memory[0]));
            assert_false(slots[i].piped); /* its last pipe was closed */
            slots[i] = (struct slot){ .child = 16 + ++children, .piped = output };
            if (output)
                *output = i;
            starts++;
            return slots[i].child;
        }
    return 0;
}

static int64_t read_output(uint32_t output, void *to, size_t n)
{
    assert_true(output < SLOTS && slots[output].piped);
    unsigned there = slots[output].written;
    if (!there)
        return slots[output].ended ? 0 : -11;
    if (n < there)
        there = n ? (unsigned)n : there;
    for (unsigned i = 0; n && i < there; i++)
        ((uint8_t *)to)[i] = next_byte++;
    slots[output].written -= n ? there : 0;
    return there;
}

static void close_output(uint32_t output)
{
    assert_true(output < SLOTS && slots[output].piped);
    slots[output].piped = false;
}

static bool ended(uint32_t child, uint32_t *status)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        if (slots[i].child != child)
            continue;
        *status = slots[i].status;
        if (slots[i].ended)
            slots[i].child = 0;
        return slots[i].ended;
    }
    fail(); /* its end was told */
    return false;
}

static void kill(uint32_t child)
{
    for (unsigned i = 0; i < SLOTS; i++)
        if (slots[i].child == child && !slots[i].ended) {
            slots[i].ended = true;
            slots[i].status = 0x109;
            kills++;
        }
}

static void count(struct processes_stats *s) { s->dropped = 5; }

static uint64_t keys; /* that were drawn */
static bool no_key;
static uint64_t draw(void) { return no_key ? 0 : 1000 + ++keys; }

static const struct processes_calls calls = { start, read_output, close_output, ended, kill, count, draw };

static struct processes_handle shown; /* with each upload and start */

static int setup(void **state)
{
    (void)state;
    now = 1;
    starts = kills = 0;
    memset(slots, 0, sizeof(slots));
    memset(&shown, 0, sizeof(shown));
    no_key = false;
    processes_begin(&p, 7, memory, ROOM, THREADS, SHARE, &calls);
    return 0;
}

static struct processes_message request(enum processes_op op, uint64_t client, uint32_t number)
{
    return (struct processes_message){
        .magic = PROCESSES_MAGIC, .op = (uint8_t)op, .client = client, .number = number, .tag = ++tag
    };
}

static struct processes_message ask(unsigned node, struct processes_message m)
{
    bool answers = processes_serve(&p, node, &m, now);
    assert_int_equal(answers, m.op != PROCESSES_PUT);
    assert_true(!answers || m.client == 0); /* nobody learns a client's number */
    return m;
}

static enum processes_result upload(unsigned node, uint64_t client, unsigned char first, const char *name)
{
    unsigned char program[PROGRAM + 64];
    size_t size = PROGRAM + strlen(name) + 1;
    for (unsigned i = 0; i < PROGRAM; i++)
        program[i] = (unsigned char)(first + i);
    strcpy((char *)program + PROGRAM, name);
    struct processes_message m = request(PROCESSES_UPLOAD, client, PROGRAM);
    m.value = (uint32_t)(size - PROGRAM);
    memcpy(m.data, &shown, sizeof(shown));
    enum processes_result result = ask(node, m).result;
    for (uint32_t at = 0; at < size; at += m.n) {
        m = request(PROCESSES_PUT, client, at);
        m.n = (uint8_t)(size - at < PROCESSES_PART ? size - at : PROCESSES_PART);
        memcpy(m.data, program + at, m.n);
        ask(node, m);
    }
    return result;
}

static struct processes_message start_one(unsigned node, uint64_t client)
{
    struct processes_message m = request(PROCESSES_START, client, 1);
    m.n = 1;
    memcpy(m.data, &shown, sizeof(shown));
    return ask(node, m);
}

/* Returns its number, or 0. */
static uint32_t run(unsigned node, uint64_t client, const char *name)
{
    now += PROCESSES_UPLOAD_NS;
    assert_int_equal(upload(node, client, 1, name), PROCESSES_DONE);
    struct processes_message m = start_one(node, client);
    return m.result == PROCESSES_DONE ? m.number : 0;
}

static enum processes_result wait_for(unsigned node, uint64_t client, uint32_t number, uint32_t *status)
{
    struct processes_message m = ask(node, request(PROCESSES_WAIT, client, number));
    *status = m.value;
    return m.result;
}

static void a_program_comes_whole_or_is_not_started(void **state)
{
    (void)state;
    assert_int_equal(start_one(1, 5).result, PROCESSES_AGAIN);
    assert_int_equal(upload(1, 5, 1, "/bin/one"), PROCESSES_DONE);
    assert_int_equal(start_one(1, 6).result, PROCESSES_AGAIN); /* another client's */
    assert_int_equal(start_one(2, 5).result, PROCESSES_AGAIN);
    assert_int_equal(start_one(1, 5).result, PROCESSES_DONE);
    struct processes_message m = request(PROCESSES_UPLOAD, 5, PROGRAM);
    ask(1, m);
    m = request(PROCESSES_PUT, 5, PROCESSES_PART); /* its first part was lost */
    m.n = PROCESSES_PART;
    ask(1, m);
    assert_int_equal(start_one(1, 5).result, PROCESSES_AGAIN);
    assert_int_equal(ask(1, request(PROCESSES_UPLOAD, 5, ROOM + 1)).result, PROCESSES_WRONG);
    assert_int_equal(starts, 1);
}

/* Returns its number, or 0. */
static uint32_t run_piped(unsigned node, uint64_t client)
{
    now += PROCESSES_UPLOAD_NS;
    upload(node, client, 1, "talks");
    struct processes_message m = request(PROCESSES_START, client, 1);
    m.n = m.piped = 1;
    m = ask(node, m);
    return m.result == PROCESSES_DONE ? m.number : 0;
}

static void output_is_its_clients_and_each_byte_is_read_once(void **state)
{
    (void)state;
    uint32_t number = run_piped(1, 5), silent = run(1, 5, "silent");
    struct processes_message m = ask(1, request(PROCESSES_OUTPUT, 5, number)), again;
    assert_true(number && silent);
    assert_int_equal(m.result, PROCESSES_RUNS);
    slots[0].written = PROCESSES_PART + 3;
    next_byte = 1;
    assert_int_equal(ask(1, request(PROCESSES_OUTPUT, 6, number)).result, PROCESSES_NONE);
    assert_int_equal(ask(2, request(PROCESSES_OUTPUT, 5, number)).result, PROCESSES_NONE);
    m = again = request(PROCESSES_OUTPUT, 5, number);
    for (unsigned i = 0; i < 2; i++) { /* the first answer was lost */
        m = ask(1, again);
        assert_true(m.result == PROCESSES_DONE && m.n == PROCESSES_PART && m.data[0] == 1 && m.data[m.n - 1] == m.n);
    }
    m = ask(1, request(PROCESSES_OUTPUT, 5, number));
    assert_true(m.result == PROCESSES_DONE && m.n == 3 && m.data[2] == PROCESSES_PART + 3 && !m.data[3]);
    m = ask(1, request(PROCESSES_OUTPUT, 5, silent)); /* it was not started for that */
    assert_true(m.result == PROCESSES_DONE && !m.n);
}

static void who_has_output_that_was_not_read_has_not_ended(void **state)
{
    (void)state;
    uint32_t status, number = run_piped(1, 5);
    slots[0].written = 2;
    slots[0].ended = true;
    slots[0].status = 3;
    assert_int_equal(wait_for(1, 5, number, &status), PROCESSES_RUNS);
    for (unsigned i = 1; i < SLOTS; i++)
        assert_true(run_piped(1 + i % 2, 5)); /* each has a pipe of its own */
    assert_int_equal(ask(1, request(PROCESSES_OUTPUT, 5, number)).n, 2);
    struct processes_message m = ask(1, request(PROCESSES_OUTPUT, 5, number));
    assert_true(m.result == PROCESSES_DONE && !m.n);
    assert_int_equal(wait_for(1, 5, number, &status), PROCESSES_DONE);
    assert_true(status == 3 && !slots[0].piped);
}

static void the_output_of_a_silent_client_is_dropped_for_others(void **state)
{
    (void)state;
    uint32_t number = 0;
    for (unsigned i = 0; i < SLOTS; i++) {
        assert_true(number = run_piped(1 + (SLOTS - 1 - i) % 2, 5));
        slots[i].written = 9;
    }
    slots[1].ended = true; /* it has ended, and nobody reads what it has said */
    assert_false(run(4, 7, "wants"));
    now += PROCESSES_SILENT;
    assert_false(run(4, 7, "wants")); /* they are being ended */
    for (unsigned i = 0; i < SLOTS; i++)
        assert_true(slots[i].ended && !slots[i].piped);
    assert_true(run(4, 7, "wants"));
    struct processes_message m = ask(1, request(PROCESSES_OUTPUT, 5, number)); /* its client is told, and once */
    assert_true(m.result == PROCESSES_REFUSED && !m.n);
    m = ask(1, request(PROCESSES_OUTPUT, 5, number));
    assert_true(m.result == PROCESSES_DONE && !m.n);
}

static void a_program_that_the_kernel_refuses_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(upload(1, 5, 0xbd, "bad"), PROCESSES_DONE);
    struct processes_message m = start_one(1, 5);
    assert_int_equal(m.result, PROCESSES_REFUSED);
    assert_int_equal(m.value, 8);
    m = request(PROCESSES_LIST, 5, 0);
    assert_int_equal(ask(1, m).result, PROCESSES_NONE);
}

static void a_process_is_its_clients_and_its_end_is_told_once(void **state)
{
    (void)state;
    uint32_t status, number = run(1, 5, "one");
    assert_true(number);
    assert_int_equal(wait_for(1, 6, number, &status), PROCESSES_NONE);
    assert_int_equal(wait_for(2, 5, number, &status), PROCESSES_NONE);
    assert_int_equal(ask(1, request(PROCESSES_KILL, 6, number)).result, PROCESSES_NONE);
    assert_int_equal(wait_for(1, 5, number, &status), PROCESSES_RUNS);
    slots[0].ended = true;
    slots[0].status = 3;
    assert_int_equal(wait_for(1, 5, number, &status), PROCESSES_DONE);
    assert_int_equal(status, 3);
    assert_int_equal(wait_for(1, 5, number, &status), PROCESSES_NONE);
    assert_int_equal(kills, 0);
}

static void a_request_that_comes_twice_is_carried_out_once(void **state)
{
    (void)state;
    upload(1, 5, 1, "one");
    struct processes_message m = request(PROCESSES_START, 5, 1), wait = request(PROCESSES_WAIT, 5, 0);
    m.n = 1;
    uint32_t number = ask(1, m).number;
    m.nonce = 77;
    struct processes_message again = ask(1, m);
    assert_true(again.result == PROCESSES_DONE && again.number == number && again.nonce == 77);
    assert_int_equal(starts, 1);
    slots[0].ended = true;
    slots[0].status = 4;
    wait.number = number;
    for (unsigned i = 0; i < 2; i++) {
        again = ask(1, wait);
        assert_true(again.result == PROCESSES_DONE && again.value == 4);
    }
}

static void a_request_to_a_former_life_is_lost_and_changes_nothing(void **state)
{
    (void)state;
    uint32_t status, number = run(1, 5, "one");
    struct processes_message m = request(PROCESSES_KILL, 5, number);
    m.life = 6;
    m = ask(1, m);
    assert_true(m.result == PROCESSES_LOST && m.life == 7);
    assert_int_equal(wait_for(1, 5, number, &status), PROCESSES_RUNS);
    m = request(PROCESSES_KILL, 5, number);
    m.life = 7;
    assert_int_equal(ask(1, m).result, PROCESSES_DONE);
}

static void a_cluster_has_its_share_of_the_slots(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SHARE; i++)
        assert_true(run(1, 1 + i % 2, "one"));
    assert_false(run(1, 3, "one"));
    for (unsigned i = SHARE; i < SLOTS; i++)
        assert_true(run(2, 1, "two"));
    assert_false(run(2, 1, "two")); /* all are taken */
    upload(3, 1, 1, "three");
    struct processes_message m = request(PROCESSES_START, 1, 1);
    m.n = THREADS + 1;
    assert_int_equal(ask(3, m).result, PROCESSES_FULL);
}

/* Which cluster has sent it the server's kernel says; nothing that a sender chooses gives another one's right. */
static void a_cluster_that_may_not_start_programs_starts_none(void **state)
{
    (void)state;
    p.starters = 1u << 1;
    uint32_t status, number = run(1, 1, "one");
    assert_true(number);
    assert_int_equal(upload(2, 1, 1, "two"), PROCESSES_FORBIDDEN);
    assert_int_equal(start_one(2, 1).result, PROCESSES_FORBIDDEN);
    assert_true(starts == 1 && p.refused == 2);
    assert_int_equal(wait_for(2, 1, number, &status), PROCESSES_NONE);
    assert_int_equal(ask(2, request(PROCESSES_LIST, 1, 0)).number, number); /* what runs is no secret */
    for (unsigned i = 0; i < 1000; i++) {                                   /* whatever it says of itself */
        struct processes_message m;
        for (unsigned k = 0; k < sizeof(m); k++)
            ((unsigned char *)&m)[k] = (unsigned char)rand();
        m.magic = PROCESSES_MAGIC;
        m.op = (uint8_t)(i % 2 ? PROCESSES_START : 1 + rand() % 9);
        m.life = 0;
        m.client = 1;
        processes_serve(&p, 2, &m, now);
    }
    assert_true(starts == 1 && !kills && wait_for(1, 1, number, &status) == PROCESSES_RUNS);
}

static enum processes_result get_handle(unsigned node, bool renew)
{
    struct processes_message m = request(PROCESSES_HANDLE, 1, 0);
    m.value = renew;
    m = ask(node, m);
    if (m.result == PROCESSES_DONE)
        memcpy(&shown, m.data, sizeof(shown));
    return m.result;
}

static void a_handle_lets_other_clusters_start_programs_until_it_is_void(void **state)
{
    (void)state;
    p.starters = 1u << 1 | 1u << 4;
    shown.from = 1;
    assert_int_equal(upload(2, 1, 1, "two"), PROCESSES_FORBIDDEN); /* there is none whose key is 0 */
    assert_int_equal(get_handle(2, false), PROCESSES_FORBIDDEN);
    assert_int_equal(get_handle(1, false), PROCESSES_DONE);
    const struct processes_handle first = shown;
    assert_true(first.key && first.from == 1);
    assert_true(run(2, 1, "two") && run(3, 1, "three") && run(4, 1, "four"));
    assert_true(get_handle(1, false) == PROCESSES_DONE && shown.key == first.key);
    shown.key++;
    assert_int_equal(upload(2, 1, 1, "two"), PROCESSES_FORBIDDEN);
    for (uint64_t from = 0; from <= UINT32_MAX; from = from < 40 ? from + 1 : from * 3) {
        shown = (struct processes_handle){ .key = first.key, .from = (uint32_t)from };
        assert_int_equal(upload(2, 1, 1, "two"), from == 1 ? PROCESSES_DONE : PROCESSES_FORBIDDEN);
    }
    assert_int_equal(get_handle(4, true), PROCESSES_DONE); /* another cluster's */
    shown = first;
    assert_int_equal(upload(2, 1, 1, "two"), PROCESSES_DONE);
    assert_int_equal(get_handle(1, true), PROCESSES_DONE);
    const struct processes_handle second = shown;
    shown = first;
    assert_int_equal(start_one(2, 1).result, PROCESSES_FORBIDDEN); /* void behind the upload */
    shown = second;
    assert_int_equal(start_one(2, 1).result, PROCESSES_DONE);
    no_key = true;
    assert_int_equal(get_handle(1, true), PROCESSES_FORBIDDEN);
    assert_int_equal(upload(2, 1, 1, "two"), PROCESSES_FORBIDDEN);
}

/* All clients but that of `kept` fall silent, whose `n` processes are ended for another one of cluster `node`. */
static void silent_ones_make_room(uint32_t kept, unsigned node, unsigned n)
{
    uint32_t status;
    now += PROCESSES_SILENT - PROCESSES_UPLOAD_NS;
    assert_int_equal(wait_for(1, 5, kept, &status), PROCESSES_RUNS);
    now += PROCESSES_UPLOAD_NS;
    assert_false(run(node, 7, "wants")); /* they are being ended */
    assert_int_equal(kills, n);
    assert_true(run(node, 7, "wants"));
    assert_int_equal(wait_for(1, 5, kept, &status), PROCESSES_RUNS);
}

static void what_a_silent_client_has_started_is_ended_for_others(void **state)
{
    (void)state;
    uint32_t kept = run(1, 5, "kept");
    for (unsigned i = 1; i < SLOTS; i++)
        assert_true(run(2 + i % 2, 6, "left"));
    silent_ones_make_room(kept, 4, SLOTS - 1);
}

/* And of what has its cluster's share, while other clusters' slots are free. */
static void what_a_silent_client_has_started_keeps_no_share_of_its_cluster(void **state)
{
    (void)state;
    uint32_t status, kept = run(1, 5, "kept"), other = run(2, 5, "other");
    for (unsigned i = 1; i < SHARE; i++)
        assert_true(run(1, 6, "left"));
    assert_false(run(1, 7, "wants"));
    assert_int_equal(kills, 0);
    silent_ones_make_room(kept, 1, SHARE - 1);
    assert_int_equal(wait_for(2, 5, other, &status), PROCESSES_RUNS);
}

static void a_client_that_is_not_remembered_is_not_silent(void **state)
{
    (void)state;
    uint32_t status, kept = run(1, 5, "kept");
    for (unsigned i = 1; i < SLOTS; i++)
        assert_true(run(2 + i % 2, 6, "left"));
    now += PROCESSES_SILENT;
    assert_int_equal(wait_for(1, 5, kept, &status), PROCESSES_RUNS);
    now++;
    for (uint64_t other = 0; other < PROCESSES_CLIENTS; other++, now++)
        wait_for(1, 20 + other, 1, &status);
    assert_false(run(4, 7, "wants"));
    assert_int_equal(kills, SLOTS - 1);
    assert_int_equal(wait_for(1, 5, kept, &status), PROCESSES_RUNS);
}

static void a_cluster_that_asks_for_no_ends_takes_no_others_record(void **state)
{
    (void)state;
    uint32_t status, told[3];
    for (unsigned i = 0; i < 3; i++) {
        told[i] = run(1, 5, "told");
        slots[0].ended = true;
        slots[0].status = i;
        assert_int_equal(ask(1, request(PROCESSES_KILL, 5, told[i])).result, PROCESSES_DONE);
    }
    for (unsigned i = 0; i < 3 * PROCESSES_MOST; i++) {
        assert_true(run(2, 6, "many"));
        slots[0].ended = true;
    }
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(wait_for(1, 5, told[i], &status), PROCESSES_DONE);
        assert_int_equal(status, i);
    }
}

static void all_of_a_name_that_a_client_has_started_are_killed(void **state)
{
    (void)state;
    struct processes_message m;
    run(1, 5, "/bin/one");
    run(1, 5, "one");
    run(1, 5, "two");
    run(2, 5, "one");
    m = request(PROCESSES_KILL, 5, 0);
    strcpy(m.data, "one");
    m = ask(1, m);
    assert_true(m.result == PROCESSES_DONE && m.value == 2 && kills == 2);
    m = request(PROCESSES_KILL, 5, 0);
    strcpy(m.data, "three");
    assert_int_equal(ask(1, m).result, PROCESSES_NONE);
}

static void a_name_that_is_too_long_is_cut_and_ends(void **state)
{
    (void)state;
    run(1, 5, "bin/a-name-of-more-than-23-bytes");
    struct processes_message m = ask(1, request(PROCESSES_LIST, 5, 0));
    assert_int_equal(m.result, PROCESSES_DONE);
    assert_string_equal((const char *)m.data, "a-name-of-more-than-23-");
}

static void two_uploads_at_once_do_not_wait_for_a_third_that_stays_half(void **state)
{
    (void)state;
    ask(1, request(PROCESSES_UPLOAD, 5, PROGRAM));
    ask(2, request(PROCESSES_UPLOAD, 5, PROGRAM));
    assert_int_equal(ask(3, request(PROCESSES_UPLOAD, 5, PROGRAM)).result, PROCESSES_AGAIN);
    now += PROCESSES_UPLOAD_NS;
    assert_int_equal(upload(3, 5, 1, "three"), PROCESSES_DONE);
    assert_int_equal(start_one(3, 5).result, PROCESSES_DONE);
}

static void two_clusters_that_upload_again_and_again_keep_both_places_for_a_second(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 10; i++, now += PROCESSES_UPLOAD_NS / 10) {
        ask(1, request(PROCESSES_UPLOAD, 5, PROGRAM));
        ask(2, request(PROCESSES_UPLOAD, 5, PROGRAM));
        assert_int_equal(ask(3, request(PROCESSES_UPLOAD, 5, PROGRAM)).result, PROCESSES_AGAIN);
    }
    for (unsigned i = 0; i < 2; i++) /* by turns of their clients, too */
        ask(1 + i, request(PROCESSES_UPLOAD, 6, PROGRAM));
    assert_int_equal(upload(3, 5, 1, "three"), PROCESSES_DONE);
    ask(1, request(PROCESSES_UPLOAD, 6, PROGRAM));
    assert_int_equal(start_one(3, 5).result, PROCESSES_DONE);
}

static void what_was_started_leaves_its_place_for_uploads(void **state)
{
    (void)state;
    for (unsigned node = 1; node < 6; node++) {
        assert_int_equal(upload(node, 5, 1, "one"), PROCESSES_DONE);
        assert_int_equal(start_one(node, 5).result, PROCESSES_DONE);
    }
    assert_int_equal(start_one(5, 5).result, PROCESSES_AGAIN);
}

static void what_a_server_counts_is_told_to_everybody(void **state)
{
    (void)state;
    struct processes_stats s;
    run(1, 5, "one");
    upload(1, 5, 1, "many");
    struct processes_message m = request(PROCESSES_START, 5, 1);
    m.n = THREADS + 1;
    ask(1, m);
    m = ask(2, request(PROCESSES_STATS, 6, 0));
    memcpy(&s, m.data, sizeof(s));
    assert_int_equal(m.result, PROCESSES_DONE);
    assert_true(s.started == 1 && s.refused == 1 && s.dropped == 5);
}

/* What should run: by number, 0 is a free place. */
static struct {
    uint32_t number, child;
    uint64_t client;
    unsigned node;
} model[SLOTS];

static unsigned of_model(unsigned node)
{
    unsigned n = 0;
    for (unsigned i = 0; i < SLOTS; i++)
        n += model[i].number && model[i].node == node;
    return n;
}

static void start_at_random(unsigned node, uint64_t client)
{
    uint32_t number = rand() % 2 ? run_piped(node, client) : run(node, client, "some");
    unsigned place = 0;
    assert_int_equal(number != 0, of_model(node) < SHARE && of_model(0) + of_model(1) + of_model(2) < SLOTS);
    while (number && model[place].number)
        place++;
    if (number) {
        model[place].number = number;
        model[place].child = 16 + children;
        model[place].client = client;
        model[place].node = node;
    }
}

/* A process is killed and waited for by some client. Returns whether it was its own. */
static bool end_at_random(unsigned place, unsigned node, uint64_t client)
{
    uint32_t status, number = model[place].number;
    bool mine = number && model[place].client == client && model[place].node == node;
    ask(node, request(PROCESSES_KILL, client, number ? number : 1u << 30));
    enum processes_result result = wait_for(node, client, number, &status);
    assert_int_equal(result, mine ? PROCESSES_DONE : PROCESSES_NONE);
    assert_true(!mine || status == 0x109);
    if (mine)
        model[place].number = 0;
    return mine;
}

static void rubbish(void)
{
    struct processes_message m;
    for (unsigned k = 0; k < sizeof(m); k++)
        ((unsigned char *)&m)[k] = (unsigned char)rand();
    m.magic = rand() % 8 ? PROCESSES_MAGIC : m.magic;
    m.op = (uint8_t)(rand() % 11);
    m.life = rand() % 2 ? 0 : m.life;
    m.client |= 1ull << 40; /* none of the others */
    if (m.op == PROCESSES_UPLOAD)
        m.number %= 2 * ROOM;
    processes_serve(&p, 3 + (unsigned)rand() % 100, &m, now);
}

static bool runs(uint32_t child)
{
    for (unsigned i = 0; i < SLOTS; i++)
        if (slots[i].child == child)
            return !slots[i].ended;
    return false;
}

static void random_messages_do_what_a_list_of_processes_says(void **state)
{
    (void)state;
    const char *many = getenv("STEPS");
    unsigned long rounds = many ? strtoul(many, NULL, 10) : 10000, done = 0;
    memset(model, 0, sizeof(model));
    srand(36);
    for (unsigned long i = 0; i < rounds; i++) {
        unsigned node = (unsigned)rand() % 3;
        uint64_t client = 1 + (uint64_t)(rand() % 2);
        for (unsigned k = 0; k < 3; k++) /* all live */
            for (uint64_t c = 1; c < 3; c++)
                ask(k, request(PROCESSES_WAIT, c, 1u << 30));
        switch (rand() % 4) {
        case 0: start_at_random(node, client); break;
        case 1: done += end_at_random((unsigned)rand() % SLOTS, node, client); break;
        default: rubbish();
        }
        for (unsigned k = 0; k < SLOTS; k++)
            assert_true(!model[k].number || runs(model[k].child));
    }
    assert_true(done > rounds / 50);
}

#define TEST(t) cmocka_unit_test_setup(t, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_program_comes_whole_or_is_not_started),
        TEST(output_is_its_clients_and_each_byte_is_read_once),
        TEST(who_has_output_that_was_not_read_has_not_ended),
        TEST(the_output_of_a_silent_client_is_dropped_for_others),
        TEST(a_program_that_the_kernel_refuses_is_an_error),
        TEST(a_process_is_its_clients_and_its_end_is_told_once),
        TEST(a_request_that_comes_twice_is_carried_out_once),
        TEST(a_request_to_a_former_life_is_lost_and_changes_nothing),
        TEST(a_cluster_has_its_share_of_the_slots),
        TEST(a_cluster_that_may_not_start_programs_starts_none),
        TEST(a_handle_lets_other_clusters_start_programs_until_it_is_void),
        TEST(what_a_silent_client_has_started_is_ended_for_others),
        TEST(what_a_silent_client_has_started_keeps_no_share_of_its_cluster),
        TEST(a_client_that_is_not_remembered_is_not_silent),
        TEST(a_cluster_that_asks_for_no_ends_takes_no_others_record),
        TEST(all_of_a_name_that_a_client_has_started_are_killed),
        TEST(a_name_that_is_too_long_is_cut_and_ends),
        TEST(two_uploads_at_once_do_not_wait_for_a_third_that_stays_half),
        TEST(two_clusters_that_upload_again_and_again_keep_both_places_for_a_second),
        TEST(what_was_started_leaves_its_place_for_uploads),
        TEST(what_a_server_counts_is_told_to_everybody),
        TEST(random_messages_do_what_a_list_of_processes_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
