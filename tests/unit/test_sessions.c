/* SPDX-License-Identifier: MIT */
/* test_sessions.c - the sessions of a file server (user/servers/file/sessions.c): whose they are, questions in
 * parts, the same question twice, accounts, clients that are silent, random messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "file/sessions.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define CLUSTERS 4
#define QUOTA    (40u << 10)
#define S        1000000000ull

static struct sessions server;
static struct session memory[CLUSTERS * SESSIONS_EACH];
static struct fs fs;
static uint64_t now = 100 * S;
static const uint8_t *sent; /* through the portal */

static uint64_t fs_now(void) { return 1; }

static int setup(void **state)
{
    struct fs_node *node;
    (void)state;
    memset(memory, 0, sizeof(memory));
    assert_int_equal(fs_begin(&fs, NULL, fs_now), 0);
    assert_int_equal(fs_open(&fs, fs.root, "disk", FS_CREATE | FS_WRITE, 0644, &node), 0); /* nobody pays for it */
    fs_release(node);
    sessions_begin(&server, &fs, memory, CLUSTERS, 0xfffffff0, QUOTA, false);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (struct session *c = memory; c < memory + CLUSTERS * SESSIONS_EACH; c++)
        if (c->life)
            p9_end(&c->files);
    fs_end(&fs);
    for (unsigned i = 0; i < CLUSTERS; i++)
        assert_int_equal(server.account[i].used, 0);
    return 0;
}

/* --- a client ----------------------------------------------------------------------------------------------------- */

struct client {
    unsigned node;
    uint64_t number;
    uint32_t life, tag;
};

static uint8_t question[FILES_QUESTION + 1], reply[FILES_ANSWER];
static struct p9_cursor q;

static void begin_question(void)
{
    q = (struct p9_cursor){ question + P9_HEADER, sizeof(question) - P9_HEADER, false };
}

/* Send the question's bytes, all but the first `from`, and return what is answered to the last of them. */
static struct files_message send_from(const struct client *c, size_t from, size_t n)
{
    struct files_message m = { 0 };
    do {
        size_t piece = n - from < FILES_PART ? n - from : FILES_PART;
        m = (struct files_message){
            .magic = FILES_MAGIC, .life = c->life, .client = c->number, .tag = c->tag, .port = 3
        };
        m.op = from + piece == n ? FILES_ASK : FILES_PUT;
        m.n = (uint8_t)piece;
        m.at = (uint16_t)from;
        memcpy(m.data, question + from, piece);
        assert_int_equal(sessions_serve(&server, c->node, &m, now, &sent), from + piece == n);
        from += piece;
    } while (from < n);
    return m;
}

static size_t close_question(uint8_t type)
{
    size_t n = (size_t)(q.at - question);
    struct p9_cursor head = { question, P9_HEADER, false };
    p9_put(&head, 4, n);
    p9_put(&head, 1, type);
    p9_put(&head, 2, 7);
    return n;
}

/* Put both parts of an answer together. Returns 0 or the error that it says. */
static int take(const struct files_message *m, struct p9_cursor *in)
{
    assert_true(m->n <= FILES_PART && m->n + m->at <= FILES_ANSWER && (!m->at || m->n == FILES_HEAD));
    memcpy(reply, m->data, m->n);
    if (m->at)
        memcpy(reply + m->n, sent, m->at);
    *in = (struct p9_cursor){ reply, (size_t)(m->n + m->at), false };
    assert_int_equal(p9_u32(in), m->n + m->at);
    bool error = p9_u8(in) == P9_RLERROR;
    p9_u16(in);
    return error ? -(int)p9_u32(in) : 0;
}

static int say(struct client *c, uint8_t type, struct p9_cursor *in)
{
    c->tag++;
    struct files_message m = send_from(c, 0, close_question(type));
    assert_int_equal(m.result, FILES_DONE);
    c->life = m.life;
    return take(&m, in);
}

static int connect(struct client *c)
{
    struct p9_cursor in;
    c->life = 0;
    begin_question();
    p9_put(&q, 4, FILES_ANSWER);
    p9_put_text(&q, P9_VERSION, strlen(P9_VERSION));
    int error = say(c, P9_TVERSION, &in);
    begin_question();
    p9_put(&q, 4, 0);
    p9_put(&q, 4, P9_NO_FID);
    p9_put_text(&q, "", 0);
    p9_put_text(&q, "", 0);
    p9_put(&q, 4, 0);
    return error ? error : say(c, P9_TATTACH, &in);
}

static struct client client(unsigned node, uint64_t number)
{
    struct client c = { .node = node, .number = number, .tag = (uint32_t)number * 1000 };
    assert_int_equal(connect(&c), 0);
    return c;
}

static void put_walk(uint32_t fid, const char *name)
{
    begin_question();
    p9_put(&q, 4, 0);
    p9_put(&q, 4, fid);
    p9_put(&q, 2, *name != 0);
    if (*name)
        p9_put_text(&q, name, strlen(name));
}

static int walk_to(struct client *c, uint32_t fid, const char *name)
{
    struct p9_cursor in;
    put_walk(fid, name);
    return say(c, P9_TWALK, &in);
}

static void put_create(uint32_t fid, const char *name)
{
    begin_question();
    p9_put(&q, 4, fid);
    p9_put_text(&q, name, strlen(name));
    p9_put(&q, 4, P9_RDWR | P9_EXCL);
    p9_put(&q, 4, 0644);
    p9_put(&q, 4, 0);
}

static int create(struct client *c, uint32_t fid, const char *name)
{
    struct p9_cursor in;
    int error = walk_to(c, fid, "");
    put_create(fid, name);
    return error ? error : say(c, P9_TLCREATE, &in);
}

static int open_file(struct client *c, uint32_t fid, const char *name)
{
    struct p9_cursor in;
    int error = walk_to(c, fid, name);
    begin_question();
    p9_put(&q, 4, fid);
    p9_put(&q, 4, P9_RDWR);
    return error ? error : say(c, P9_TLOPEN, &in);
}

static void put_write(uint32_t fid, uint64_t at, int byte, size_t n)
{
    begin_question();
    p9_put(&q, 4, fid);
    p9_put(&q, 8, at);
    p9_put(&q, 4, n);
    memset(p9_bytes(&q, n), byte, n);
}

static int64_t write_file(struct client *c, uint32_t fid, uint64_t at, int byte, size_t n)
{
    struct p9_cursor in;
    put_write(fid, at, byte, n);
    int error = say(c, P9_TWRITE, &in);
    return error ? error : (int64_t)p9_u32(&in);
}

/* Returns how many bytes there are, which are all `byte`. */
static int64_t read_file(struct client *c, uint32_t fid, uint64_t at, int byte, size_t n)
{
    struct p9_cursor in;
    begin_question();
    p9_put(&q, 4, fid);
    p9_put(&q, 8, at);
    p9_put(&q, 4, n);
    int error = say(c, P9_TREAD, &in);
    uint32_t got = error ? 0 : p9_u32(&in);
    const uint8_t *data = p9_bytes(&in, got);
    for (uint32_t i = 0; i < got; i++)
        assert_int_equal(data[i], byte);
    return error ? error : (int64_t)got;
}

static int remove_file(struct client *c, const char *name)
{
    struct p9_cursor in;
    begin_question();
    p9_put(&q, 4, 0);
    p9_put_text(&q, name, strlen(name));
    p9_put(&q, 4, 0);
    return say(c, P9_TUNLINKAT, &in);
}

static int clunk(struct client *c, uint32_t fid)
{
    struct p9_cursor in;
    begin_question();
    p9_put(&q, 4, fid);
    return say(c, P9_TCLUNK, &in);
}

/* --- promises ----------------------------------------------------------------------------------------------------- */

static void what_one_cluster_writes_all_others_read(void **state)
{
    (void)state;
    struct client a = client(1, 11), b = client(3, 33);
    assert_int_equal(create(&a, 1, "new"), 0);
    assert_int_equal(write_file(&a, 1, 0, 'x', FILES_DATA), FILES_DATA);
    assert_int_equal(write_file(&a, 1, FILES_DATA, 'x', 5), 5);
    assert_int_equal(open_file(&b, 9, "new"), 0);
    assert_int_equal(read_file(&b, 9, 0, 'x', FILES_DATA), FILES_DATA);
    assert_int_equal(read_file(&b, 9, FILES_DATA, 'x', FILES_DATA), 5);
    assert_int_equal((uintptr_t)sent % 8, 0); /* copied by words */
    assert_int_equal(remove_file(&b, "new"), 0);
    assert_int_equal(walk_to(&a, 2, "new"), -ENOENT);
    assert_int_equal(read_file(&a, 1, 0, 'x', 10), 10); /* it is open */
}

static void a_session_is_its_clients_alone(void **state)
{
    (void)state;
    struct client a = client(1, 11);
    assert_int_equal(create(&a, 1, "new"), 0);
    struct client guesses = a, elsewhere = a;
    guesses.number = 12;
    elsewhere.node = 2;
    put_write(1, 0, 'y', 3);
    size_t n = close_question(P9_TWRITE);
    assert_int_equal(send_from(&guesses, 0, n).result, FILES_LOST);
    assert_int_equal(send_from(&elsewhere, 0, n).result, FILES_LOST);
    assert_int_equal(read_file(&a, 1, 0, 'y', 3), 0);
}

/* Each is carried out once, and none of it when a part is missing. */
static void a_question_that_comes_twice_is_carried_out_once(void **state)
{
    (void)state;
    struct p9_cursor in;
    struct client a = client(1, 11);
    assert_int_equal(walk_to(&a, 1, ""), 0);
    put_create(1, "once");
    size_t n = close_question(P9_TLCREATE);
    a.tag++;
    struct files_message first = send_from(&a, 0, n), again = send_from(&a, 0, n);
    assert_int_equal(take(&first, &in), 0);
    assert_int_equal(take(&again, &in), 0); /* EEXIST, if it had been done again */
    assert_int_equal(write_file(&a, 1, 0, 'x', 300), 300);
    a.tag++;
    put_write(1, 0, 'y', 300);
    n = close_question(P9_TWRITE);
    assert_int_equal(send_from(&a, FILES_PART, n).result, FILES_PARTS); /* the first part is lost */
    assert_int_equal(read_file(&a, 1, 0, 'x', 300), 300);
    a.tag++;
    put_write(1, 0, 'y', 300);
    n = close_question(P9_TWRITE);
    assert_int_equal(send_from(&a, 0, n).result, FILES_DONE);
    send_from(&a, FILES_PART, n);
    assert_int_equal(read_file(&a, 1, 0, 'y', 300), 300);
    assert_int_equal(remove_file(&a, "once"), 0);
    first = send_from(&a, 0, close_question(P9_TUNLINKAT));
    assert_int_equal(take(&first, &in), 0); /* ENOENT, if it had been done again */
}

/* What came through the portal, too: the answer is kept, not the question done again. */
static void a_read_whose_answer_was_lost_has_the_same_answer(void **state)
{
    (void)state;
    static uint8_t asked[FILES_QUESTION];
    struct p9_cursor in;
    struct client a = client(1, 11), b = client(2, 22);
    assert_int_equal(create(&a, 1, "new"), 0);
    assert_int_equal(write_file(&a, 1, 0, 'x', 1000), 1000);
    assert_int_equal(open_file(&b, 1, "new"), 0);
    assert_int_equal(read_file(&b, 1, 0, 'x', 1000), 1000);
    size_t n = (size_t)(q.at - question);
    memcpy(asked, question, n);
    assert_int_equal(write_file(&a, 1, 0, 'y', 1000), 1000);
    memcpy(question, asked, n);
    struct files_message m = send_from(&b, 0, n);
    assert_int_equal(take(&m, &in), 0);
    assert_true(m.at == 1000 && sent[0] == 'x' && sent[999] == 'x');
}

static struct files_message rest(const struct client *c, unsigned node, uint32_t tag, unsigned at)
{
    struct files_message m = { .magic = FILES_MAGIC, .op = FILES_REST, .life = c->life, .client = c->number };
    m.tag = tag;
    m.at = (uint16_t)at;
    assert_true(sessions_serve(&server, node, &m, now, &sent));
    assert_true(!m.at && !m.client); /* nothing goes through the portal */
    return m;
}

static void an_answer_is_read_in_parts_by_its_client_alone(void **state)
{
    (void)state;
    struct client a = client(1, 11);
    assert_int_equal(create(&a, 1, "new"), 0);
    assert_int_equal(write_file(&a, 1, 0, 'x', 1000), 1000);
    assert_int_equal(read_file(&a, 1, 0, 'x', 1000), 1000);
    for (unsigned at = 0, n; at < FILES_HEAD + 1000; at += n) {
        struct files_message m = rest(&a, 1, a.tag, at);
        n = FILES_HEAD + 1000 - at < FILES_PART ? FILES_HEAD + 1000 - at : FILES_PART;
        assert_int_equal(m.result, FILES_DONE);
        assert_int_equal(m.n, n);
        assert_memory_equal(m.data, reply + at, n);
    }
    assert_int_equal(rest(&a, 1, a.tag, FILES_HEAD + 1000).result, FILES_WRONG);
    assert_int_equal(rest(&a, 1, a.tag - 1, 0).result, FILES_WRONG);
    assert_int_equal(rest(&a, 1, a.tag, 65535).result, FILES_WRONG);
    assert_int_equal(rest(&a, 2, a.tag, 0).result, FILES_LOST);
    a.life++;
    assert_int_equal(rest(&a, 1, a.tag, 0).result, FILES_LOST);
    a.life = 0; /* nor does it begin a session */
    assert_int_equal(rest(&a, 1, a.tag, 0).result, FILES_LOST);
    struct client wrong = { .node = 1, .number = 12, .life = 1 };
    assert_int_equal(rest(&wrong, 1, a.tag, 0).result, FILES_LOST);
}

static void a_cluster_pays_for_what_its_clients_write_and_no_other(void **state)
{
    (void)state;
    struct client a = client(1, 11), b = client(2, 22);
    assert_int_equal(create(&a, 1, "new"), 0);
    int64_t done, at = 0;
    for (; (done = write_file(&a, 1, (uint64_t)at, 'x', FILES_DATA)) > 0; at += done)
        ;
    assert_int_equal(done, -ENOSPC);
    assert_true(at > 0 && at <= QUOTA && server.account[1].used <= QUOTA);
    assert_int_equal(open_file(&a, 2, "disk"), 0); /* of the server's own, which nobody paid for yet */
    assert_int_equal(write_file(&a, 2, 0, 'x', FILES_DATA), -ENOSPC);
    assert_int_equal(create(&b, 1, "other"), 0);
    assert_int_equal(write_file(&b, 1, 0, 'y', FILES_DATA), FILES_DATA);
    assert_int_equal(open_file(&b, 2, "disk"), 0);
    uint64_t before = server.account[2].used;
    assert_int_equal(write_file(&b, 2, 0, 'y', FILES_DATA), FILES_DATA);
    assert_true(server.account[2].used >= before + FILES_DATA);
}

static void a_cluster_has_its_share_of_sessions(void **state)
{
    (void)state;
    struct client c[SESSIONS_EACH];
    for (unsigned i = 0; i < SESSIONS_EACH; i++)
        c[i] = client(1, 11 + i);
    struct client more = { .node = 1, .number = 99 };
    begin_question();
    p9_put(&q, 4, FILES_ANSWER);
    p9_put_text(&q, P9_VERSION, strlen(P9_VERSION));
    size_t n = close_question(P9_TVERSION);
    assert_int_equal(send_from(&more, 0, n).result, FILES_FULL);
    client(2, 99);
    now += SESSIONS_SILENT - 1;
    for (unsigned i = 1; i < SESSIONS_EACH; i++)
        assert_int_equal(walk_to(&c[i], 1, "disk"), 0);
    now += 1;
    assert_int_equal(connect(&more), 0); /* in place of the silent one */
    assert_int_equal(send_from(&c[0], 0, close_question(P9_TATTACH)).result, FILES_LOST);
    for (unsigned i = 1; i < SESSIONS_EACH; i++)
        assert_int_equal(walk_to(&c[i], 2, "disk"), 0);
}

/* The files are there as before, and no session is. */
static void a_question_to_a_former_life_is_lost_and_changes_nothing(void **state)
{
    (void)state;
    struct client a = client(1, 11);
    assert_int_equal(create(&a, 1, "new"), 0);
    for (struct session *c = memory; c < memory + CLUSTERS * SESSIONS_EACH; c++)
        if (c->life)
            p9_end(&c->files);
    memset(memory, 0, sizeof(memory));
    struct fs_account account = server.account[1];
    sessions_begin(&server, &fs, memory, CLUSTERS, 7, QUOTA, false);
    server.account[1] = account; /* of the test: the tree has outlived the server */
    struct client b = a;
    put_write(1, 0, 'y', 3);
    assert_int_equal(send_from(&b, 0, close_question(P9_TWRITE)).result, FILES_LOST);
    assert_int_equal(connect(&b), 0);
    assert_int_equal(send_from(&a, 0, close_question(P9_TATTACH)).result, FILES_LOST);
    assert_int_equal(open_file(&b, 1, "new"), 0);
    assert_int_equal(read_file(&b, 1, 0, 'y', 3), 0);
}

static void what_is_no_message_of_a_cluster_is_refused(void **state)
{
    (void)state;
    struct files_message m = { .magic = FILES_MAGIC + 1, .op = FILES_ASK };
    assert_false(sessions_serve(&server, 0, &m, now, &sent));
    m = (struct files_message){ .magic = FILES_MAGIC, .op = FILES_ASK, .reply_port = 16 };
    assert_false(sessions_serve(&server, 0, &m, now, &sent));
    m.reply_port = 0;
    assert_false(sessions_serve(&server, CLUSTERS, &m, now, &sent));
    m.port = 16;
    assert_true(sessions_serve(&server, 0, &m, now, &sent) && m.result == FILES_WRONG && !m.n && !m.at);
    m = (struct files_message){ .magic = FILES_MAGIC, .op = 9 };
    assert_true(sessions_serve(&server, 0, &m, now, &sent) && m.result == FILES_WRONG);
    assert_int_equal(server.refused, 5);
    m = (struct files_message){ .magic = FILES_MAGIC, .op = FILES_ASK, .n = 255 };
    assert_true(sessions_serve(&server, 0, &m, now, &sent) && m.result == FILES_PARTS);
}

/* A model has what each file holds: one byte, again and again, and its length. */
static void random_messages_do_what_a_list_of_files_says(void **state)
{
    (void)state;
    static const char *const names[] = { "a", "b", "c", "d" };
    const char *many = getenv("STEPS");
    unsigned long rounds = many ? strtoul(many, NULL, 10) : 10000, made = 0, removed = 0, rubbish = 0;
    struct {
        bool there;
        int byte;
        size_t size;
    } model[4] = { 0 };
    struct client c[CLUSTERS];
    for (unsigned i = 0; i < CLUSTERS; i++)
        c[i] = client(i, 11 * (i + 1));
    srand(36);
    for (unsigned long i = 0; i < rounds; i++) {
        unsigned node = (unsigned)rand() % CLUSTERS, f = (unsigned)rand() % 4;
        struct files_message m;
        int64_t done;
        switch (rand() % 5) {
        case 0:
            done = create(&c[node], 1, names[f]);
            assert_int_equal(done, model[f].there ? -EEXIST : 0);
            model[f].there = true;
            made += !done;
            if (!done)
                model[f].size = 0;
            break;
        case 1:
            done = remove_file(&c[node], names[f]);
            assert_int_equal(done, model[f].there ? 0 : -ENOENT);
            model[f].there = false;
            removed += !done;
            continue;
        case 2:
            done = open_file(&c[node], 1, names[f]);
            assert_int_equal(done, model[f].there ? 0 : -ENOENT);
            if (done)
                continue;
            size_t size = (size_t)(1 + rand() % 3 * 2000);
            int byte = 1 + rand() % 255;
            if (size >= model[f].size && (done = write_file(&c[node], 1, 0, byte, size)) > 0) {
                model[f].byte = byte;
                model[f].size = (size_t)done;
            }
            break;
        case 3:
            done = open_file(&c[node], 1, names[f]);
            assert_int_equal(done, model[f].there ? 0 : -ENOENT);
            if (done)
                continue;
            done = read_file(&c[node], 1, 0, model[f].byte, FILES_DATA);
            assert_int_equal(done, model[f].size < FILES_DATA ? model[f].size : FILES_DATA);
            break;
        default:
            for (unsigned k = 0; k < sizeof(m); k++)
                ((unsigned char *)&m)[k] = (unsigned char)rand();
            m.magic = FILES_MAGIC;
            m.op = rand() % 3 ? FILES_PUT + rand() % 3 : m.op;
            m.reply_port &= 15;
            m.port &= 15;
            m.n = rand() % 4 ? m.n % (FILES_PART + 1) : m.n;
            m.at = rand() % 2 ? 0 : m.at;
            m.life = rand() % 3 ? c[node].life : 0;
            m.client = m.life ? c[node].number : 5; /* parts of a living client's, too, or a session of nobody */
            m.tag = m.life && m.op == FILES_ASK ? c[node].tag : m.tag; /* it asks nothing new by itself */
            if (sessions_serve(&server, (unsigned)rand() % CLUSTERS, &m, now, &sent))
                assert_true(m.n <= FILES_PART && m.n + m.at <= FILES_ANSWER);
            rubbish++;
            continue;
        }
        clunk(&c[node], 1); /* an error if a create has failed */
        if (walk_to(&c[node], 1, "") == 0)
            assert_int_equal(clunk(&c[node], 1), 0);
        for (unsigned k = 0; k < CLUSTERS; k++)
            assert_true(server.account[k].used <= QUOTA);
    }
    assert_true(made > 50 && removed > 50 && rubbish > 500);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_one_cluster_writes_all_others_read),
        TEST(a_session_is_its_clients_alone),
        TEST(a_question_that_comes_twice_is_carried_out_once),
        TEST(a_read_whose_answer_was_lost_has_the_same_answer),
        TEST(an_answer_is_read_in_parts_by_its_client_alone),
        TEST(a_cluster_pays_for_what_its_clients_write_and_no_other),
        TEST(a_cluster_has_its_share_of_sessions),
        TEST(a_question_to_a_former_life_is_lost_and_changes_nothing),
        TEST(what_is_no_message_of_a_cluster_is_refused),
        TEST(random_messages_do_what_a_list_of_files_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
