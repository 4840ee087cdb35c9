/* SPDX-License-Identifier: MIT */
/* test_vfs.c - a client of a file server (user/nanvix/lib/vfs.c), whose sessions are the server's own. The test is the
 * way between them: questions, parts of them and answers are lost, the server dies, or lies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "file/sessions.h"

#include <nanvix/fs.h>

#include "ask.h"
#include "page_in.h"

#define NODE     1
#define CLUSTERS 2

static struct fs fs;
static struct sessions server;
static struct session memory[CLUSTERS * SESSIONS_EACH];
static const uint8_t *sent;
static enum what { NOTHING, ANSWER, QUESTION, PART } lose, lose_what; /* once; or the question with this number */
static unsigned lose_at;
static unsigned silent; /* so many questions have no answer */
static unsigned asked;
static bool wrong; /* the variable FILES */
static bool held;  /* the way of pages, by another process of the cluster, and for good */
static uint64_t now = 1;
static void (*lie)(struct files_message *m), (*lie_next)(struct files_message *m); /* once; with the answer after */

int knode_get_num(void) { return NODE; }
int ask_begin(void) { return 0; }
uint64_t ask_random(void) { return 77; }
void nanvix_lock_take(uint32_t *word) { assert_int_equal((*word)++, 0); }
void nanvix_lock_drop(uint32_t *word) { *word = 0; }
unsigned ask_list(const char *name, const char *usual, struct ask_server *s, unsigned port, unsigned most)
{
    (void)usual;
    assert_true(!strcmp(name, "FILES") && most == 1);
    s[0] = (struct ask_server){ .node = 0, .port = port }; /* what can be read of a wrong one, too */
    return wrong ? 0 : 1;
}

bool ask(struct ask_server *s, void *message, size_t size)
{
    struct files_message *m = message;
    (void)s;
    assert_int_equal(size, sizeof(*m));
    if (++asked == lose_at)
        lose = lose_what;
    int lost = lose;
    lose = lost == PART ? lost : NOTHING;
    if (lost == QUESTION || (silent && silent--))
        return false;
    assert_true(sessions_serve(&server, NODE, m, now, &sent));
    if (lie)
        lie(m);
    lie = lie_next;
    lie_next = NULL;
    return lost != ANSWER;
}

bool ask_in_place(struct ask_server *s, void *room, uint64_t ns)
{
    assert_int_equal(ns, ASK_PATIENCE_NS);
    return ask(s, room, ASK_MESSAGE);
}

bool ask_send(struct ask_server *s, void *message, size_t size)
{
    (void)s, (void)size;
    if (lose == PART)
        lose = NOTHING;
    else
        assert_false(sessions_serve(&server, NODE, message, now, &sent));
    return true;
}

bool page_in_begin(struct page_in *p)
{
    p->port = 9;
    return true;
}

enum page_in_result page_in_receive(struct page_in *p, int node, unsigned from, bool there, void *buf, size_t n,
                                    unsigned turn)
{
    (void)p;
    assert_true(node == 0 && from == 9 && there && n <= FILES_DATA);
    if (held)
        return turn < 100 ? PAGE_IN_AGAIN : PAGE_IN_LATE;
    memcpy(buf, sent, n);
    return PAGE_IN_HERE;
}

static uint64_t fs_now(void) { return 1; }

static void server_begins(uint32_t life)
{
    for (struct session *c = memory; c < memory + CLUSTERS * SESSIONS_EACH; c++)
        if (c->life)
            p9_end(&c->files);
    memset(memory, 0, sizeof(memory));
    if (fs.root)
        fs_end(&fs);
    assert_int_equal(fs_begin(&fs, NULL, fs_now), 0);
    sessions_begin(&server, &fs, memory, CLUSTERS, life, 64 << 10, false);
}

/* A new life of the server, which the client does not know of. */
static int setup(void **state)
{
    static uint32_t life;
    struct nanvix_stat s;
    (void)state;
    server_begins(life += 1000);
    lose = NOTHING;
    silent = 0;
    held = false;
    nanvix_vfs_stat("/", &s); /* EIO, but the first time */
    return 0;
}

static char data[9000], back[9001];

static int made(const char *name)
{
    int fd = nanvix_vfs_open(name, O_RDWR | O_CREAT | O_EXCL, 0644);
    assert_true(fd >= 0);
    for (unsigned i = 0; i < sizeof(data); i++)
        data[i] = (char)(i * 7 + i / 255);
    return fd;
}

/* The first test, since a process begins once. */
static void a_wrong_variable_is_an_error_each_time(void **state)
{
    (void)state;
    struct nanvix_stat s;
    server_begins(1);
    wrong = true;
    assert_int_equal(nanvix_vfs_stat("/", &s), -EINVAL);
    assert_int_equal(nanvix_vfs_stat("/", &s), -EINVAL);
    assert_int_equal(nanvix_vfs_open("/", O_RDONLY), -EINVAL);
    wrong = false;
    assert_int_equal(nanvix_vfs_stat("/", &s), 0);
}

static void whatever_is_lost_each_call_is_done_once(void **state)
{
    (void)state;
    for (int what = ANSWER; what <= PART; what++) {
        struct nanvix_stat s;
        int fd;
        lose = what;
        fd = made("new"); /* EEXIST, if it was made twice */
        lose = what;
        assert_int_equal(nanvix_vfs_write(fd, data, sizeof(data)), sizeof(data));
        assert_int_equal(nanvix_vfs_seek(fd, 0, SEEK_SET), 0);
        lose = what;
        assert_int_equal(nanvix_vfs_read(fd, back, sizeof(back)), sizeof(data));
        assert_memory_equal(back, data, sizeof(data));
        lose = what;
        assert_int_equal(nanvix_vfs_stat("new", &s), 0);
        assert_int_equal(s.st_size, sizeof(data));
        lose = what;
        assert_int_equal(nanvix_vfs_unlink("new"), 0); /* ENOENT, if it was removed twice */
        lose = what;
        assert_int_equal(nanvix_vfs_close(fd), 0);
        lose = NOTHING;
    }
}

static void a_servers_death_is_an_error_once_and_what_was_open_is_lost(void **state)
{
    (void)state;
    struct nanvix_stat s;
    int old = made("new"), other = made("other");
    server_begins(900000);
    assert_int_equal(nanvix_vfs_stat("new", &s), -EIO);
    assert_int_equal(nanvix_vfs_stat("new", &s), -ENOENT);
    int fd = made("new");
    assert_true(fd != old && fd != other);
    assert_int_equal(nanvix_vfs_write(old, data, 10), -EIO);
    assert_int_equal(nanvix_vfs_read(other, back, 10), -EIO);
    assert_int_equal(nanvix_vfs_write(fd, data, 10), 10);
    assert_int_equal(nanvix_vfs_close(old), -EIO);
    assert_int_equal(nanvix_vfs_close(old), -EBADF);
    assert_int_equal(nanvix_vfs_close(other), -EIO);
    assert_int_equal(nanvix_vfs_close(fd), 0);
}

/* Neither its session ends, nor what it has open. */
static void who_is_kept_from_its_pages_for_good_has_its_answers_in_messages(void **state)
{
    (void)state;
    struct nanvix_stat s;
    int fd = made("new");
    held = true;
    assert_int_equal(nanvix_vfs_write(fd, data, sizeof(data)), sizeof(data));
    assert_int_equal(nanvix_vfs_seek(fd, 0, SEEK_SET), 0);
    assert_int_equal(nanvix_vfs_read(fd, back, sizeof(back)), sizeof(data));
    assert_memory_equal(back, data, sizeof(data));
    for (int what = ANSWER; what <= QUESTION; what++) {
        assert_int_equal(nanvix_vfs_stat("new", &s), 0);
        assert_int_equal(s.st_size, sizeof(data));
        lose_at = asked + 110; /* in the middle of its parts */
        lose_what = what;
        assert_int_equal(nanvix_vfs_seek(fd, 0, SEEK_SET), 0);
        assert_int_equal(nanvix_vfs_read(fd, back, 4096), 4096);
        assert_memory_equal(back, data, 4096);
    }
    held = false;
    assert_int_equal(nanvix_vfs_close(fd), 0);
}

/* EIO is of what may have been done, EAGAIN of what was not. */
static void a_silent_server_is_an_error_once_and_is_not_asked_for_ever(void **state)
{
    (void)state;
    struct nanvix_stat s;
    int fd = made("new");
    silent = 1000000;
    asked = 0;
    assert_int_equal(nanvix_vfs_write(fd, data, 10), -EIO);
    assert_int_equal(nanvix_vfs_stat("new", &s), -EAGAIN);
    assert_int_equal(nanvix_vfs_open("new", O_RDONLY), -EAGAIN);
    assert_true(asked < 20);
    silent = 0;
    assert_int_equal(nanvix_vfs_stat("new", &s), 0);
    assert_int_equal(nanvix_vfs_close(fd), -EIO);
}

static void say_more(struct files_message *m) { m->n = 255; }
static void send_more(struct files_message *m) { m->at = 5000; }
static void send_both(struct files_message *m) { m->at = 100; }
static void say_other_length(struct files_message *m) { m->data[0] ^= 1; }
static void say_other_tag(struct files_message *m) { m->data[5] ^= 1; }
static void say_other_type(struct files_message *m) { m->data[4] ^= 2; }
static void say_nothing(struct files_message *m) { m->n = 0; }
static void say_other_result(struct files_message *m) { m->result = 99; }
static void say_other_count(struct files_message *m) { m->data[P9_HEADER] = 90; }

/* It sends less through the portal than it says that it has read. */
static void send_less(struct files_message *m)
{
    m->at = 1;
    m->data[0] = FILES_HEAD + 1;
    m->data[1] = 0;
}

static void less_than_the_server_says_is_no_read(void **state)
{
    (void)state;
    int fd = made("new");
    assert_int_equal(nanvix_vfs_write(fd, data, 4096), 4096);
    assert_int_equal(nanvix_vfs_seek(fd, 0, SEEK_SET), 0);
    lie = send_less;
    assert_int_equal(nanvix_vfs_read(fd, back, 4096), -EIO);
    nanvix_vfs_close(fd);
}

static void say_other_version(struct files_message *m) { m->data[P9_HEADER + 6]++; }
static void say_other_room(struct files_message *m) { m->data[P9_HEADER]++; }

static void a_server_of_another_version_is_not_used(void **state)
{
    (void)state;
    static void (*const lies[])(struct files_message *) = { say_other_version, say_other_room };
    struct nanvix_stat s;
    for (unsigned i = 0; i < 2; i++) {
        server_begins(5000 + i * 100);
        assert_int_equal(nanvix_vfs_stat("/", &s), -EIO);
        lie = lies[i];
        assert_int_equal(nanvix_vfs_stat("/", &s), -EIO);
        assert_int_equal(nanvix_vfs_stat("/", &s), 0);
    }
}

/* As one of 2 GiB is for a program of 32 bits. */
static void say_huge(struct files_message *m)
{
    assert_true(m->at == 153 - 4);
    ((uint8_t *)(uintptr_t)sent)[8 + 13 + 4 + 8 + 8 + 8 - 4 + 7] = 0x80;
}

static void what_is_larger_than_an_offset_says_so_and_leaves_nothing_at_the_server(void **state)
{
    (void)state;
    struct nanvix_stat s;
    const off_t most = INT64_MAX;
    int fd = made("new");
    for (int i = 0; i < 3; i++) {
        lie = NULL;
        lie_next = say_huge;
        assert_int_equal(nanvix_vfs_stat("new", &s), -EFBIG);
        assert_int_equal(nanvix_vfs_stat("new", &s), 0);
    }
    assert_int_equal(nanvix_vfs_seek(fd, most, SEEK_SET), most);
    unsigned before = asked;
    assert_int_equal(nanvix_vfs_write(fd, data, 1), -EFBIG);
    assert_int_equal(nanvix_vfs_read(fd, back, 1), -EFBIG);
    assert_int_equal(nanvix_vfs_write(fd, data, 0), 0);
    assert_int_equal(asked, before);
    assert_int_equal(nanvix_vfs_close(fd), 0);
}

static void a_server_that_lies_is_an_error(void **state)
{
    (void)state;
    static void (*const lies[])(struct files_message *) = { say_more,       send_more,        send_both,
                                                            say_other_type, say_nothing,      say_other_length,
                                                            say_other_tag,  say_other_result, say_other_count };
    for (unsigned i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
        int fd = nanvix_vfs_open("new", O_RDWR | O_CREAT, 0644);
        assert_true(fd >= 0);
        assert_int_equal(nanvix_vfs_write(fd, "abc", 3), 3);
        assert_int_equal(nanvix_vfs_seek(fd, 0, SEEK_SET), 0);
        lie = lies[i];
        assert_int_equal(nanvix_vfs_read(fd, back, 50), -EIO);
        nanvix_vfs_close(fd);
    }
}

static void a_session_that_was_given_to_others_is_an_error_once(void **state)
{
    (void)state;
    struct nanvix_stat s;
    int fd = made("new");
    struct files_message m = { .magic = FILES_MAGIC, .op = FILES_ASK };
    now += SESSIONS_SILENT;
    for (m.client = 1; m.client <= SESSIONS_EACH; m.client++) {
        struct files_message asks = m;
        sessions_serve(&server, NODE, &asks, now, &sent);
    }
    assert_int_equal(nanvix_vfs_write(fd, data, 10), -EIO);
    assert_int_equal(nanvix_vfs_stat("new", &s), -EAGAIN); /* the cluster has its share */
    now += SESSIONS_SILENT;
    assert_int_equal(nanvix_vfs_stat("new", &s), 0);
    assert_int_equal(s.st_size, 0);
    assert_int_equal(nanvix_vfs_close(fd), -EIO);
}

#define TEST(t) cmocka_unit_test_setup(t, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_variable_is_an_error_each_time),
        TEST(whatever_is_lost_each_call_is_done_once),
        TEST(who_is_kept_from_its_pages_for_good_has_its_answers_in_messages),
        TEST(a_servers_death_is_an_error_once_and_what_was_open_is_lost),
        TEST(a_silent_server_is_an_error_once_and_is_not_asked_for_ever),
        TEST(less_than_the_server_says_is_no_read),
        TEST(a_server_of_another_version_is_not_used),
        TEST(what_is_larger_than_an_offset_says_so_and_leaves_nothing_at_the_server),
        TEST(a_server_that_lies_is_an_error),
        TEST(a_session_that_was_given_to_others_is_an_error_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
