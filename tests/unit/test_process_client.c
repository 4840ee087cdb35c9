/* SPDX-License-Identifier: MIT */
/* test_process_client.c - a client of two process servers: messages and answers are lost, a server begins anew. The
 * test is the way between them, and the kernel beneath both servers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <nanvix/runtime/pm/process.h>

#include "ask.h"
#include "image.h"
#include "process/table.h"

#define NODE    1
#define SERVERS 2
#define ROOM    2000
#define SIZE    900 /* of the program; its file is larger */

static struct processes server[SERVERS];
static unsigned char memory[SERVERS][PROCESSES_UPLOADS * (ROOM + PROCESSES_TEXTS)];
static uint64_t now;
static unsigned starts, sent;
static unsigned lose_put, lose_answer, lose_question; /* the n-th from now on; 0: none */
static uint32_t ended_with[SERVERS];                  /* all that runs on it has; 1: it has not */
static unsigned server_of[64];                        /* of each child */
static unsigned refused, tried; /* so many tries of each part of a program find no room; those of this part */
static bool taken_unnoticed;    /* the server has such a part all the same */
static bool full, dead;
static uint8_t deaf_to;              /* questions of this kind are not answered */
static struct processes_message lie; /* a server's answer to `lie.op`; 0: it says the truth */
static char texts[64], written[200];
static unsigned char file[1500];

static int64_t start(const struct processes_upload *u, uint32_t argc, uint32_t envc, uint32_t *output)
{
    assert_true(argc <= 2 && envc <= 1 + (output != NULL) && u->size == SIZE);
    assert_memory_equal(u->memory, file, SIZE);
    memcpy(texts, u->memory + u->size, u->texts < sizeof(texts) ? u->texts : sizeof(texts));
    if (full)
        return 0;
    if (output)
        *output = 9;
    server_of[++starts] = u->memory >= memory[1];
    return 16 + (int64_t)starts;
}

static bool ended(uint32_t child, uint32_t *status)
{
    *status = ended_with[server_of[child - 16]];
    return *status != 1;
}

static int64_t read_output(uint32_t output, void *to, size_t n)
{
    size_t there = strlen(written);
    assert_int_equal(output, 9);
    if (!there)
        return ended_with[0] == 1 ? -11 : 0;
    if (!n)
        return (int64_t)there;
    n = n < there ? n : there;
    memcpy(to, written, n);
    memmove(written, written + n, there - n + 1);
    return (int64_t)n;
}

static void close_output(uint32_t output) { assert_int_equal(output, 9); }

static void kill(uint32_t child) { ended_with[server_of[child - 16]] = NANVIX_PROCESS_KILLED << 8 | 9; }

static void count(struct processes_stats *s)
{
    s->cluster_life = 3;
    s->cores = 1000; /* no cluster has so many */
    s->core_awake = 5;
    s->core_waits = 8;
}

static uint64_t draw(void)
{
    static uint64_t drawn = 500;
    return ++drawn;
}

static const struct processes_calls calls = { start, read_output, close_output, ended, kill, count, draw };

static void begin_server(unsigned i, uint32_t life)
{
    processes_begin(&server[i], life, memory[i], ROOM, 2, 4, &calls);
}

int knode_get_num(void) { return NODE; }
int ask_begin(void) { return 0; }
uint64_t ask_random(void) { return 77; }
void nanvix_lock_take(uint32_t *word) { assert_int_equal((*word)++, 0); }
void nanvix_lock_drop(uint32_t *word) { *word = 0; }
void nanvix_relax(unsigned turn) { (void)turn; }
long nanvix_result(int64_t result) { return (long)result; }

unsigned ask_list(const char *name, const char *usual, struct ask_server *s, unsigned port, unsigned most)
{
    (void)name, (void)usual, (void)most;
    for (int i = 0; i < SERVERS; i++)
        s[i] = (struct ask_server){ .node = i, .port = port };
    return SERVERS;
}

bool ask(struct ask_server *s, void *message, size_t size)
{
    assert_int_equal(size, sizeof(struct processes_message));
    if (dead || (deaf_to && ((struct processes_message *)message)->op == deaf_to) ||
        (lose_question && !--lose_question))
        return false;
    struct processes_message *m = message;
    tried = 0;
    bool lies = lie.op && m->op == lie.op;
    assert_true(processes_serve(&server[s->node], NODE, m, ++now));
    if (lies)
        *m = lie;
    return !(lose_answer && !--lose_answer);
}

bool ask_send(struct ask_server *s, void *message, size_t size)
{
    (void)size;
    bool refuses = tried < refused, gone = lose_put && !--lose_put;
    sent++;
    tried = refuses ? tried + 1 : 0;
    if (!gone && (!refuses || taken_unnoticed))
        assert_false(processes_serve(&server[s->node], NODE, message, ++now));
    return !refuses;
}

/* The file of a 64-bit program with one segment, and symbols behind it. */
static int setup(void **state)
{
    (void)state;
    uint64_t segment[7] = { 1 | 5ull << 32, 0, 0, 0, SIZE, SIZE, 4096 }, table = 64;
    memset(file, 0x5a, sizeof(file));
    memset(file, 0, 64);
    memcpy(file, "\177ELF\2\1\1", 7);
    memcpy(file + 32, &table, sizeof(table));
    file[54] = sizeof(segment);
    file[56] = 1;
    memcpy(file + table, segment, sizeof(segment));
    starts = sent = lose_put = lose_answer = lose_question = refused = 0;
    ended_with[0] = ended_with[1] = 1;
    full = dead = taken_unnoticed = false;
    lie.op = deaf_to = 0;
    static uint32_t life = 10; /* the client has met those before */
    begin_server(0, ++life);
    begin_server(1, ++life);
    for (int node = 0; node < SERVERS; node++) /* so it is told that they were lost */
        nanvix_process_wait(node << 24 | 1, NULL);
    return 0;
}

static int start_one(int node)
{
    static const char *const arguments[] = { "/bin/one", "word", NULL }, *const variables[] = { "A=b", NULL };
    return nanvix_process_start(node, file, sizeof(file), 1, arguments, variables);
}

static void a_program_is_started_and_its_end_told(void **state)
{
    (void)state;
    struct nanvix_process p;
    struct nanvix_process_stats s;
    int status, one = start_one(0), two = start_one(1);
    assert_true(one > 0 && two > 0 && one != two && starts == 2);
    assert_memory_equal(texts, "/bin/one\0word\0A=b", 18);
    assert_int_equal(sent, 2 * (SIZE / PROCESSES_PART + 2));
    assert_int_equal(nanvix_process_wait(one, &status), -EAGAIN);
    assert_int_equal(nanvix_process_list(1, 0, &p), 0);
    assert_true(p.number == two && p.from == NODE && p.runs && p.threads == 1 && !strcmp(p.name, "one"));
    assert_int_equal(nanvix_process_list(1, two, &p), -ESRCH);
    assert_true(!nanvix_process_stats(1, &s) && s.started == 1 && s.life == 3);
    assert_true(s.cores == PROCESSES_CORES && s.core_awake == 5 && s.core_waits == 8);
    ended_with[0] = 5;
    assert_int_equal(nanvix_process_wait(one, &status), 0);
    assert_int_equal(status, 5);
    assert_int_equal(nanvix_process_wait(one, &status), -ESRCH);
}

static void what_is_lost_on_the_way_is_asked_or_sent_again_and_done_once(void **state)
{
    (void)state;
    int status;
    for (unsigned n = 1; n <= 2; n++) { /* of the upload, of the start */
        unsigned before = starts;
        lose_answer = n;
        assert_true(start_one(0) > 0);
        lose_question = n;
        assert_true(start_one(0) > 0);
        assert_int_equal(starts, before + 2);
        begin_server(0, server[0].life);
    }
    lose_put = 7;
    int number = start_one(0);
    assert_true(number > 0 && starts == 5);
    ended_with[0] = 6;
    lose_answer = 1;
    assert_int_equal(nanvix_process_wait(number, &status), 0);
    assert_int_equal(status, 6);
}

static void a_part_that_finds_no_room_is_sent_again_and_taken_once(void **state)
{
    (void)state;
    const unsigned parts = SIZE / PROCESSES_PART + 2;
    for (unsigned i = 0; i < 4; i++) {
        refused = 1 + i % 2;
        taken_unnoticed = i > 1;
        sent = 0;
        assert_true(start_one(0) > 0); /* whose bytes start() compares */
        assert_int_equal(sent, (refused + 1) * parts);
    }
    begin_server(0, server[0].life);
    refused = 3;
    sent = 0;
    assert_int_equal(start_one(0), -EAGAIN);
    assert_true(sent == 3 * 3 && starts == 4); /* the first part of three uploads */
}

static void each_life_of_a_server_is_an_error_once(void **state)
{
    (void)state;
    int status, number = start_one(0), other = start_one(1);
    begin_server(0, 1000);
    assert_int_equal(nanvix_process_wait(number, &status), -EIO);
    assert_int_equal(nanvix_process_wait(number, &status), -ESRCH);
    assert_int_equal(nanvix_process_wait(other, &status), -EAGAIN); /* it lives */
    assert_true(start_one(0) > 0);
    begin_server(0, 1001);
    assert_int_equal(start_one(0), -EIO);
    assert_true(start_one(0) > 0);
    begin_server(0, 1002);
    struct nanvix_process p;
    assert_int_equal(nanvix_process_list(0, 0, &p),
                     -ESRCH); /* tells what is there now, and takes the error from nobody */
    assert_int_equal(nanvix_process_kill(number), -EIO);
}

static void a_handle_is_shown_with_each_start_on_its_cluster(void **state)
{
    (void)state;
    struct nanvix_process_handle own, void_one;
    assert_int_equal(nanvix_process_handle(0, 0, &own), 0);
    assert_true(own.key && own.from == NODE && own.node == 0);
    server[0].starters = 1u << 5; /* not this cluster any more */
    assert_int_equal(start_one(0), -EPERM);
    assert_int_equal(nanvix_process_handle(0, 0, &void_one), -EPERM);
    server[0].key[5] = 7; /* a handle that cluster 5 has asked for */
    assert_int_equal(nanvix_process_use(&(struct nanvix_process_handle){ .key = 7, .from = 5, .node = 0 }), 0);
    assert_true(start_one(0) > 0 && start_one(1) > 0);
    server[0].key[5] = 8;
    assert_int_equal(start_one(0), -EPERM);
    own.node = 7;
    assert_int_equal(nanvix_process_use(&own), -EINVAL);
    assert_int_equal(nanvix_process_handle(7, 0, &own), -EINVAL);
    assert_int_equal(nanvix_process_handle(1, 0, &own), 0);
    assert_int_equal(nanvix_process_handle(1, 1, &void_one), 0);
    assert_true(own.key != void_one.key && own.node == 1);
    assert_int_equal(nanvix_process_use(&(struct nanvix_process_handle){ .node = 0 }), 0);
}

static void a_server_that_does_not_answer_is_an_error(void **state)
{
    (void)state;
    struct nanvix_process p;
    int number = start_one(0);
    dead = true;
    assert_int_equal(nanvix_process_wait(number, NULL), -EIO);
    assert_int_equal(nanvix_process_kill(number), -EIO);
    assert_int_equal(nanvix_process_list(0, 0, &p), -EAGAIN);
    assert_int_equal(start_one(0), -EAGAIN); /* it has nothing that it could have started */
    dead = false;
    deaf_to = PROCESSES_START;
    assert_int_equal(start_one(0), -EIO);
    deaf_to = 0;
    assert_int_equal(nanvix_process_wait(number, NULL), -EAGAIN);
    assert_int_equal(nanvix_process_list(7, 0, &p), -EINVAL);
    assert_int_equal(nanvix_process_wait(7 << 24 | 1, NULL), -ESRCH);
    assert_int_equal(nanvix_process_wait(-1, NULL), -ESRCH);
}

static void those_of_a_name_are_killed_on_all_clusters(void **state)
{
    (void)state;
    int status, one = start_one(0), two = start_one(1);
    assert_int_equal(nanvix_process_kill_name("two"), -ESRCH);
    assert_int_equal(nanvix_process_kill_name("one"), 2);
    assert_int_equal(nanvix_process_wait(one, &status), 0);
    assert_int_equal(status, NANVIX_PROCESS_KILLED << 8 | 9);
    assert_int_equal(nanvix_process_wait(two, &status), 0);
    assert_int_equal(status, NANVIX_PROCESS_KILLED << 8 | 9);
}

static void a_server_that_has_begun_anew_keeps_no_other_from_killing_by_name(void **state)
{
    (void)state;
    int status, one = start_one(0), two = start_one(1);
    begin_server(0, 2000);
    assert_int_equal(nanvix_process_kill_name("one"), -EIO);
    assert_int_equal(nanvix_process_wait(one, &status), -ESRCH);
    assert_int_equal(nanvix_process_wait(two, &status), 0);
    assert_int_equal(status, NANVIX_PROCESS_KILLED << 8 | 9);
    start_one(0);
    begin_server(1, 2001); /* what the first one has killed does not hide that */
    assert_int_equal(nanvix_process_kill_name("one"), -EIO);
    assert_int_equal(nanvix_process_kill_name("one"), -ESRCH);
}

static void what_cannot_be_started_says_why(void **state)
{
    (void)state;
    static const char *const none[] = { "none", NULL };
    static char longest[PROCESSES_TEXTS];
    const char *const many[] = { longest, "x", NULL };
    memset(longest, 'x', sizeof(longest) - 1);
    full = true;
    assert_int_equal(start_one(0), -EAGAIN);
    assert_int_equal(nanvix_process_start(5, file, sizeof(file), 1, none, NULL), -EINVAL);
    assert_int_equal(nanvix_process_start(0, file, 20, 1, none, NULL), -ENOEXEC);
    assert_int_equal(nanvix_process_start(0, file, sizeof(file), 1, many, NULL), -E2BIG);
    assert_int_equal(nanvix_process_start(0, file, sizeof(file), 3, none, NULL), -EAGAIN); /* threads */
}

static void a_number_that_no_process_has_is_believed_to_no_server(void **state)
{
    (void)state;
    static const uint32_t numbers[] = { 0, 1 << 24, UINT32_MAX };
    struct nanvix_process p;
    int number = start_one(0);
    for (unsigned i = 0; i < 3; i++) {
        lie = (struct processes_message){ .op = PROCESSES_START, .life = server[0].life, .number = numbers[i] };
        assert_int_equal(start_one(0), -EIO);
        lie.op = PROCESSES_LIST;
        assert_int_equal(nanvix_process_list(0, 0, &p), -EIO);
        lie.op = PROCESSES_KILL;
        lie.value = numbers[i];
        assert_int_equal(nanvix_process_kill(number), i ? -EIO : 0);
    }
    lie.op = PROCESSES_LIST; /* the list of a server that says the same twice has an end */
    lie.number = 5;
    assert_int_equal(nanvix_process_list(0, 0, &p), 0);
    assert_int_equal(nanvix_process_list(0, p.number, &p), -EIO);
    lie.op = PROCESSES_START;
    lie.result = PROCESSES_REFUSED;
    lie.value = 0;
    assert_true(start_one(0) < 0);
}

static void what_a_program_writes_is_read_by_who_has_started_it(void **state)
{
    (void)state;
    static const char *const arguments[] = { "/bin/one", NULL };
    char piece[NANVIX_PROCESS_OUTPUT];
    int status, number = nanvix_process_start_piped(0, file, sizeof(file), 1, arguments, NULL);
    assert_true(number > 0);
    assert_string_equal(texts + sizeof("/bin/one"), PROCESSES_PIPED);
    assert_int_equal(nanvix_process_output(number, piece), -EAGAIN);
    memset(written, 'w', NANVIX_PROCESS_OUTPUT + 1);
    written[0] = 'a';
    lose_answer = 1;
    assert_int_equal(nanvix_process_output(number, piece), NANVIX_PROCESS_OUTPUT);
    assert_true(piece[0] == 'a' && piece[1] == 'w');
    ended_with[0] = 3;
    assert_int_equal(nanvix_process_wait(number, &status), -EAGAIN); /* it is not read to its end */
    assert_int_equal(nanvix_process_output(number, piece), 1);
    assert_int_equal(nanvix_process_output(number, piece), 0);
    assert_int_equal(nanvix_process_wait(number, &status), 0);
    assert_int_equal(status, 3);
    assert_int_equal(nanvix_process_output(number, piece), -ESRCH);
    lie = (struct processes_message){ .op = PROCESSES_OUTPUT, .life = server[0].life, .n = NANVIX_PROCESS_OUTPUT + 1 };
    assert_int_equal(nanvix_process_output(number, piece), -EIO);
    lie = (struct processes_message){ .op = PROCESSES_OUTPUT, .life = server[0].life, .result = PROCESSES_REFUSED };
    assert_int_equal(nanvix_process_output(number, piece), -EPIPE);
}

static void without_a_number_nothing_is_killed(void **state)
{
    (void)state;
    static const char *const nameless[] = { NULL };
    int number = nanvix_process_start(0, file, sizeof(file), 1, nameless, NULL);
    assert_true(number > 0);
    assert_int_equal(nanvix_process_kill(0), -ESRCH);
    assert_int_equal(nanvix_process_wait(number, NULL), -EAGAIN);
}

static void a_name_shows_a_terminal_no_control_characters(void **state)
{
    (void)state;
    struct nanvix_process p;
    static const char *const arguments[] = { "a\33[2J\200\n", "word", NULL };
    assert_true(nanvix_process_start(0, file, sizeof(file), 1, arguments, NULL) > 0);
    assert_int_equal(nanvix_process_list(0, 0, &p), 0);
    assert_string_equal(p.name, "a?[2J??");
}

static void no_damaged_file_is_read_beyond_its_end(void **state)
{
    (void)state;
    unsigned right = 0, wrong = 0;
    srand(36);
    for (unsigned i = 0; i < 20000; i++) {
        size_t n = 1 + (size_t)rand() % sizeof(file);
        unsigned char *copy = malloc(n); /* of that size, so that a byte too many is seen */
        memcpy(copy, file, n);
        for (unsigned k = 0; k < 3; k++)
            copy[(size_t)rand() % (n < 128 ? n : 128)] = (unsigned char)rand();
        long size = image_size(copy, n);
        assert_true(size <= (long)n);
        right += size > 0;
        wrong += size < 0;
        free(copy);
    }
    assert_true(right > 100 && wrong > 100);
}

#define TEST(t) cmocka_unit_test_setup(t, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_program_is_started_and_its_end_told),
        TEST(what_is_lost_on_the_way_is_asked_or_sent_again_and_done_once),
        TEST(a_part_that_finds_no_room_is_sent_again_and_taken_once),
        TEST(each_life_of_a_server_is_an_error_once),
        TEST(a_handle_is_shown_with_each_start_on_its_cluster),
        TEST(a_server_that_does_not_answer_is_an_error),
        TEST(those_of_a_name_are_killed_on_all_clusters),
        TEST(a_server_that_has_begun_anew_keeps_no_other_from_killing_by_name),
        TEST(a_number_that_no_process_has_is_believed_to_no_server),
        TEST(what_a_program_writes_is_read_by_who_has_started_it),
        TEST(without_a_number_nothing_is_killed),
        TEST(a_name_shows_a_terminal_no_control_characters),
        TEST(what_cannot_be_started_says_why),
        TEST(no_damaged_file_is_read_beyond_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
