/* SPDX-License-Identifier: MIT */
/*
 * test_p9_client.c - a client of user/p9, whose server is called when the client sleeps or rings. What is tested of the
 * client holds against a hostile server, too: the last tests' server says what chance says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <amalgam/tunnel.h>
#include <client.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <server.h>
#include <stdio.h>
#include <stdlib.h>

static _Alignas(64) uint8_t memory[64 << 10];
static struct fs fs;
static struct p9_session session;
static struct p9_link server;
static struct p9_client client;
static uint64_t clock_at;
static unsigned bells; /* rung and waited for */
static bool runs, ended, lies;
static uint64_t chance;

static uint64_t now(void) { return 5; }

static uint64_t roll(uint64_t below)
{
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    return (chance >> 33) % below;
}

/* A byte or a word of the answer is another one, or the server's side is. */
static void lie(uint8_t *answer)
{
    uint64_t at = roll(4) ? roll(32) : roll(server.area);
    answer[at] = roll(3) ? (uint8_t)roll(256) : 0xff;
    if (!roll(20))
        server.own->count += (uint32_t)roll(3) - 1;
    if (!roll(100))
        server.own->life++;
}

static void serve(void)
{
    if (p9_link_is_new(&server)) {
        p9_end(&session);
        p9_link_meet(&server);
    }
    while (p9_link_met(&server) && p9_link_there(&server, P9_PLACES)) {
        uint8_t *question = p9_link_question(&server, server.taken), *answer = p9_link_answer(&server, server.taken);
        struct p9_cursor head = { question, 4, false };
        assert_true(p9_serve(&session, question, p9_u32(&head), answer, server.area));
        server.taken++;
        if (lies)
            lie(answer);
        p9_link_put(&server);
    }
}

int64_t amalgam_clock(void) { return (int64_t)clock_at; }

int64_t amalgam_tunnel_open(uint32_t index, struct amalgam_tunnel *t)
{
    *t = (struct amalgam_tunnel){ index, AMALGAM_TUNNEL_WRITE, memory, sizeof memory };
    return 0;
}

int64_t amalgam_tunnel_wait(uint32_t index, uint64_t deadline)
{
    if (ended) {
        ended = false;
        return -AMALGAM_EPIPE;
    }
    if (!deadline)
        return -AMALGAM_ETIMEDOUT;
    if (runs) {
        serve();
        bells++;
    } else {
        assert_true(deadline != AMALGAM_NEVER);
        clock_at = deadline;
        return -AMALGAM_ETIMEDOUT;
    }
    if (lies && !roll(4))
        return -AMALGAM_EPIPE; /* it may have said that it put something, and have not */
    return 0;
}

int64_t amalgam_tunnel_notify(uint32_t index) { return 0; }
int64_t amalgam_tunnel_call(uint32_t index, uint64_t deadline) { return amalgam_tunnel_wait(index, deadline); }

static void start_server(void)
{
    p9_begin(&session, &p9_memory, &fs, NULL, false);
    assert_true(p9_link_begin(&server, memory, sizeof memory, true));
    runs = true;
}

static int begin(void **state)
{
    memset(memory, 0, sizeof memory);
    ended = lies = false;
    chance = 1;
    start_server();
    return p9_client_begin(&client, 0) | fs_begin(&fs, NULL, now);
}

static int end(void **state)
{
    p9_end(&session);
    fs_end(&fs);
    return 0;
}

static struct p9_file opened(const char *path, int flags)
{
    struct p9_file f;
    assert_int_equal(p9_client_open(&client, path, flags, 0644, &f), 0);
    return f;
}

static void test_files_of_the_server_are_made_and_used(void **state)
{
    static char data[20000], got[20001];
    struct stat s;
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (char)(i * 7 + i / 4096);
    assert_int_equal(p9_client_mkdir(&client, "a", 0755), 0);
    assert_int_equal(p9_client_mkdir(&client, "a/b", 0755), 0);
    struct p9_file f = opened("a/b/f", O_CREAT | O_EXCL | O_RDWR);
    assert_int_equal(p9_client_write(&client, &f, 3, data, sizeof data), sizeof data);
    assert_int_equal(p9_client_read(&client, &f, 3, got, sizeof got), sizeof data);
    assert_memory_equal(got, data, sizeof data);
    assert_int_equal(p9_client_read(&client, &f, 3 + sizeof data, got, 5), 0);
    assert_int_equal(p9_client_fstat(&client, &f, &s), 0);
    assert_true(s.st_size == 3 + sizeof data && s.st_nlink == 1 && S_ISREG(s.st_mode) && s.st_mtim.tv_nsec == 5);
    assert_int_equal(p9_client_truncate(&client, &f, 10), 0);
    p9_client_close(&client, &f);
    assert_int_equal(p9_client_rename(&client, "a/b/f", "g"), 0);
    assert_int_equal(p9_client_stat(&client, "g", &s), 0);
    assert_int_equal(s.st_size, 10);
    f = opened("g", O_WRONLY | O_APPEND);
    assert_int_equal(p9_client_write(&client, &f, 0, "end", 3), 3);
    assert_int_equal(p9_client_read(&client, &f, 0, got, 1), -EBADF);
    p9_client_close(&client, &f);
    assert_int_equal(p9_client_unlink(&client, "a/b", true), 0);
    assert_int_equal(p9_client_unlink(&client, "g", false), 0);
    assert_int_equal(p9_client_stat(&client, "g", &s), -ENOENT);
    assert_int_equal(p9_client_stat(&client, "", &s), 0);
    assert_true(S_ISDIR(s.st_mode) && s.st_nlink == 3);
}

static void test_errors_are_those_of_the_server(void **state)
{
    struct p9_file f = opened("f", O_CREAT | O_RDWR);
    struct stat s;
    assert_int_equal(fs_make_symlink(&fs, "f", fs.root, "link"), 0);
    assert_int_equal(p9_client_open(&client, "f", O_CREAT | O_EXCL, 0, &f), -EEXIST);
    assert_int_equal(p9_client_open(&client, "none/f", O_CREAT, 0, &f), -ENOENT);
    assert_int_equal(p9_client_open(&client, "f/x", O_RDONLY, 0, &f), -ENOTDIR);
    assert_int_equal(p9_client_open(&client, "f/x/y", O_RDONLY, 0, &f), -ENOTDIR);
    assert_int_equal(p9_client_open(&client, "link", O_RDONLY, 0, &f), -ELOOP);
    assert_int_equal(p9_client_open(&client, "link/x", O_RDONLY, 0, &f), -ELOOP);
    assert_int_equal(p9_client_open(&client, "f", O_DIRECTORY, 0, &f), -ENOTDIR);
    assert_int_equal(p9_client_open(&client, "", O_RDWR, 0, &f), -EISDIR);
    assert_int_equal(p9_client_stat(&client, "link", &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    assert_int_equal(p9_client_stat(&client, "a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a", &s), -ENAMETOOLONG);
    assert_int_equal(p9_client_rename(&client, "f", "a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a"), -ENAMETOOLONG);
    assert_int_equal(p9_client_rename(&client, "none", "other"), -ENOENT);
    assert_int_equal(p9_client_rename(&client, "none/x", "other"), -ENOENT);
    assert_int_equal(p9_client_unlink(&client, "f", true), -ENOTDIR);
    assert_int_equal(p9_client_mkdir(&client, "f", 0), -EEXIST);
}

static void test_to_find_and_open_is_one_bell_and_to_close_none(void **state)
{
    struct p9_file f = opened("f", O_CREAT | O_RDWR);
    bells = 0;
    p9_client_close(&client, &f);
    assert_int_equal(bells, 0);
    f = opened("f", O_RDONLY);
    assert_int_equal(bells, 1);
}

static unsigned fids_at_the_server(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < P9_FIDS; i++)
        n += session.fid[i].node != NULL;
    return n;
}

static void test_fids_come_back(void **state)
{
    struct p9_file f[P9_CLIENT_FIDS];
    for (int i = 0; i < 1000; i++) {
        f[0] = opened("f", O_CREAT | O_RDWR);
        p9_client_close(&client, &f[0]);
        assert_int_equal(p9_client_open(&client, "f/x/y", O_RDONLY, 0, &f[0]), -ENOTDIR);
        assert_int_equal(p9_client_rename(&client, "none/x", "a/b/c"), -ENOENT);
    }
    assert_true(fids_at_the_server() <= 4);
    for (unsigned i = 1; i < P9_CLIENT_FIDS; i++)
        f[i] = opened("f", O_RDONLY);
    assert_int_equal(p9_client_open(&client, "f", O_RDONLY, 0, &f[0]), -ENFILE);
    for (unsigned i = 1; i < P9_CLIENT_FIDS; i++)
        p9_client_close(&client, &f[i]);
    f[0] = opened("f", O_RDONLY);
}

static void test_what_was_open_ends_with_the_server_and_paths_go_on(void **state)
{
    char byte;
    struct stat s;
    struct p9_file f = opened("f", O_CREAT | O_RDWR), g;
    assert_int_equal(p9_client_write(&client, &f, 0, "x", 1), 1);
    runs = false;
    ended = true;
    assert_int_equal(p9_client_read(&client, &f, 0, &byte, 1), -EIO);
    assert_int_equal(p9_client_stat(&client, "f", &s), -EIO); /* after its patience */
    p9_end(&session);
    start_server();
    assert_int_equal(p9_client_read(&client, &f, 0, &byte, 1), -EIO);
    g = opened("f", O_RDWR);
    assert_int_equal(p9_client_read(&client, &g, 0, &byte, 1), 1);
    p9_client_close(&client, &f); /* whose number is g's */
    assert_int_equal(p9_client_read(&client, &g, 0, &byte, 1), 1);
    assert_int_equal(p9_client_read(&client, &f, 0, &byte, 1), -EIO);
}

static void test_a_client_that_begins_again_gets_no_answer_of_its_former_life(void **state)
{
    struct stat s;
    struct p9_file f = opened("f", O_CREAT | O_RDWR);
    struct p9_client before = client;
    p9_client_close(&before, &f); /* a question that nobody has answered yet */
    assert_int_equal(p9_client_begin(&client, 0), 0);
    assert_int_equal(p9_client_mkdir(&client, "d", 0700), 0);
    assert_int_equal(p9_client_stat(&client, "d", &s), 0);
    assert_true(S_ISDIR(s.st_mode));
    assert_true(fids_at_the_server() <= 3);
}

/* Whatever it says: no more than asked for is written, no call goes on for ever, an error is a negative errno. */
static void test_a_server_that_lies_harms_nobody(void **state)
{
    char data[300];
    struct stat s;
    struct p9_file f = { 0 };
    lies = true;
    for (int i = 0; i < 20000; i++) {
        memset(data, 0x55, sizeof data);
        char path[8];
        sprintf(path, "%c/%c", "abc"[roll(3)], "abc"[roll(3)]);
        int64_t result;
        switch (roll(8)) {
        case 0: result = p9_client_open(&client, path + roll(2) * 2, O_CREAT | O_RDWR, 0644, &f); break;
        case 1: result = p9_client_read(&client, &f, roll(100), data, 200); break;
        case 2: result = p9_client_write(&client, &f, roll(10000), data, 200); break;
        case 3: result = p9_client_stat(&client, path, &s); break;
        case 4: result = p9_client_mkdir(&client, path + roll(2) * 2, 0755); break;
        case 5: result = p9_client_rename(&client, path, path + 2); break;
        case 6: result = p9_client_readdir(&client, &f, 0, data, 200); break;
        default: p9_client_close(&client, &f), result = 0; break;
        }
        assert_true(result <= 200 && result > -4096);
        assert_int_equal(data[200], 0x55);
    }
    assert_true(client.used & 1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_files_of_the_server_are_made_and_used),
        CASE(test_errors_are_those_of_the_server),
        CASE(test_to_find_and_open_is_one_bell_and_to_close_none),
        CASE(test_fids_come_back),
        CASE(test_what_was_open_ends_with_the_server_and_paths_go_on),
        CASE(test_a_client_that_begins_again_gets_no_answer_of_its_former_life),
        CASE(test_a_server_that_lies_harms_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
