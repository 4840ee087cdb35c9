/* SPDX-License-Identifier: MIT */
/* test_p9.c - the server of user/p9: what clients of 9P2000.L ask for, and what hostile ones say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <server.h>
#include <stdio.h>
#include <sys/stat.h>

static struct fs fs;
static struct p9_session session;
static uint8_t asked[8192], answered[8192];
static size_t room = sizeof answered;
static struct p9_cursor got; /* what the answer says behind its header */
static uint64_t now(void) { return 7000000009; }

static int begin(void **state)
{
    room = sizeof answered;
    p9_begin(&session, &p9_memory, &fs, NULL, false);
    return fs_begin(&fs, NULL, now);
}

static int end(void **state)
{
    p9_end(&session);
    fs_end(&fs);
    return 0;
}

/* Write a message by a form: 1, 2, 4, 8 are numbers of so many bytes, s a string. Returns its length. */
static size_t form(uint8_t type, const char *fields, va_list values)
{
    struct p9_cursor c = { asked, sizeof asked, false };
    p9_put(&c, 4, 0);
    p9_put(&c, 1, type);
    p9_put(&c, 2, 0x1234);
    for (; *fields; fields++) {
        if (*fields == 's') {
            const char *text = va_arg(values, const char *);
            p9_put_text(&c, text, strlen(text));
        } else {
            p9_put(&c, (unsigned)(*fields - '0'), va_arg(values, uint64_t));
        }
    }
    size_t n = (size_t)(c.at - asked);
    c = (struct p9_cursor){ asked, 4, false };
    p9_put(&c, 4, n);
    return n;
}

/* Returns 0, or the errno of the answer, whose header is checked. */
static int send(uint8_t type, size_t n)
{
    size_t got_bytes = p9_serve(&session, asked, n, answered, room);
    got = (struct p9_cursor){ answered, got_bytes, false };
    assert_int_equal(p9_u32(&got), got_bytes);
    uint8_t of = p9_u8(&got);
    assert_int_equal(p9_u16(&got), 0x1234);
    if (of == P9_RLERROR)
        return (int)p9_u32(&got);
    assert_int_equal(of, type + 1);
    return 0;
}

/* All numbers are 64 bits here. */
static int ask(uint8_t type, const char *fields, ...)
{
    va_list values;
    va_start(values, fields);
    size_t n = form(type, fields, values);
    va_end(values);
    return send(type, n);
}

#define N(x) ((uint64_t)(x))

static void attach(void)
{
    assert_int_equal(ask(P9_TVERSION, "4s", N(sizeof asked), P9_VERSION), 0);
    assert_int_equal(ask(P9_TATTACH, "44ss4", N(0), N(P9_NO_FID), "me", "", N(0)), 0);
}

static int walk(uint64_t from, uint64_t to, const char *name) { return ask(P9_TWALK, "442s", from, to, N(1), name); }

static int create(uint64_t fid, const char *name)
{
    return ask(P9_TWALK, "442", N(0), fid, N(0)) ?: ask(P9_TLCREATE, "4s444", fid, name, N(P9_RDWR), N(0640), N(0));
}

static void test_a_version_begins_a_session_and_ends_the_one_before(void **state)
{
    assert_int_equal(walk(0, 1, "x"), EPROTO);
    attach();
    assert_int_equal(create(1, "f"), 0);
    assert_int_equal(ask(P9_TVERSION, "4s", N(1 << 30), "9P2000.L"), 0);
    assert_int_equal(p9_u32(&got), P9_MSIZE);
    assert_int_equal(ask(P9_TCLUNK, "4", N(1)), EBADF);
    assert_int_equal(ask(P9_TAUTH, "4ss4", N(9), "me", "", N(0)), ENOENT); /* there is no need to */
    assert_int_equal(ask(P9_TVERSION, "4s", N(8192), "9P2000.u"), 0);
    p9_u32(&got);
    char text[16];
    p9_text(&got, text, sizeof text);
    assert_string_equal(text, "unknown");
    assert_int_equal(walk(0, 1, "x"), EPROTO);
}

static void test_a_file_is_made_written_read_and_removed(void **state)
{
    attach();
    assert_int_equal(create(1, "f"), 0);
    assert_int_equal(ask(P9_TWRITE, "4841111", N(1), N(2), N(4), N('a'), N('b'), N('c'), N('d')), 0);
    assert_int_equal(p9_u32(&got), 4);
    assert_int_equal(ask(P9_TREAD, "484", N(1), N(1), N(99)), 0);
    assert_int_equal(p9_u32(&got), 5);
    assert_memory_equal(got.at, "\0abcd", 5);
    assert_int_equal(walk(0, 2, "f"), 0);
    assert_int_equal(ask(P9_TREAD, "484", N(2), N(0), N(1)), EBADF);
    assert_int_equal(ask(P9_TWRITE, "484", N(2), N(0), N(0)), EBADF);
    assert_int_equal(ask(P9_TLOPEN, "44", N(2), N(P9_WRONLY)), 0);
    assert_int_equal(ask(P9_TREAD, "484", N(2), N(0), N(1)), EBADF);
    assert_int_equal(ask(P9_TCLUNK, "4", N(2)), 0);
    assert_int_equal(ask(P9_TUNLINKAT, "4s4", N(0), "f", N(0)), 0);
    assert_int_equal(walk(0, 2, "f"), ENOENT);
    assert_int_equal(ask(P9_TREAD, "484", N(1), N(2), N(1)), 0); /* who has it open keeps it */
    assert_int_equal(ask(P9_TCLUNK, "4", N(1)), 0);
    assert_int_equal(ask(P9_TREAD, "484", N(1), N(2), N(1)), EBADF);
}

static void test_a_walk_says_how_far_it_came(void **state)
{
    attach();
    assert_int_equal(ask(P9_TMKDIR, "4s44", N(0), "a", N(0755), N(0)), 0);
    assert_int_equal(ask(P9_TWALK, "442sss", N(0), N(1), N(3), "a", "b", "c"), 0);
    assert_int_equal(p9_u16(&got), 1);
    assert_int_equal(got.left, 13);
    assert_int_equal(ask(P9_TCLUNK, "4", N(1)), EBADF);
    assert_int_equal(ask(P9_TWALK, "442ss", N(0), N(1), N(2), "a", ".."), 0);
    assert_int_equal(p9_u16(&got), 2);
    assert_int_equal(walk(0, 1, "a"), EINVAL); /* the number stands for something */
    assert_int_equal(walk(0, 2, "a/."), EINVAL);
    assert_int_equal(ask(P9_TLOPEN, "44", N(1), N(0)), 0);
    assert_int_equal(walk(1, 1, "a"), EINVAL); /* it is open */
    assert_int_equal(walk(1, 3, "a"), 0);
    assert_int_equal(walk(3, 3, "."), 0);
    assert_int_equal(ask(P9_TCLUNK, "4", N(1)), 0);
    assert_int_equal(walk(0, 1, "."), 0);
    assert_int_equal(walk(0, 2, ""), EINVAL);
    assert_int_equal(ask(P9_TWALK, "442sssssssssssssssss", N(0), N(2), N(17), "a", "..", "a", "..", "a", "..", "a",
                         "..", "a", "..", "a", "..", "a", "..", "a", "..", "a"),
                     EINVAL);
    assert_int_equal(ask(P9_TWALK, "442ssssssssssssssss", N(1), N(1), N(16), "..", "a", "..", "..", "..", "..", "..",
                         "..", "..", "..", "..", "..", "..", "..", "..", "a"),
                     0);
    assert_int_equal(p9_u16(&got), 16);
}

static void test_a_folder_is_read_in_pieces(void **state)
{
    char name[16];
    uint64_t place = 0;
    unsigned found = 0, pieces = 0, empty = 0;
    attach();
    for (int i = 0; i < 30; i++) {
        sprintf(name, "name%d", i);
        assert_int_equal(ask(P9_TMKDIR, "4s44", N(0), name, N(0755), N(0)), 0);
    }
    assert_int_equal(ask(P9_TWALK, "442", N(0), N(1), N(0)), 0);
    assert_int_equal(ask(P9_TREADDIR, "484", N(1), N(0), N(100)), EBADF);
    assert_int_equal(ask(P9_TLOPEN, "44", N(1), N(P9_DIRECTORY)), 0);
    for (; !empty; pieces++) {
        assert_int_equal(ask(P9_TREADDIR, "484", N(1), place, N(100)), 0);
        uint32_t n = p9_u32(&got);
        assert_true(n <= 100 && n == got.left);
        empty = !n;
        for (; got.left; found++) {
            assert_int_equal(p9_u8(&got), P9_QID_FOLDER);
            p9_bytes(&got, 12);
            place = p9_u64(&got);
            assert_int_equal(p9_u8(&got), 4);
            p9_text(&got, name, sizeof name);
            assert_false(got.bad);
        }
    }
    assert_int_equal(found, 32); /* "." and "..", too */
    assert_int_equal(pieces, 12);
}

static void test_names_change_and_links_lead_where_they_say(void **state)
{
    char text[16];
    attach();
    assert_int_equal(create(1, "f"), 0);
    assert_int_equal(ask(P9_TSYMLINK, "4ss4", N(0), "s", "over/there", N(0)), 0);
    assert_int_equal(p9_u8(&got), P9_QID_LINK);
    assert_int_equal(walk(0, 2, "s"), 0);
    assert_int_equal(ask(P9_TREADLINK, "4", N(2)), 0);
    p9_text(&got, text, sizeof text);
    assert_string_equal(text, "over/there");
    assert_int_equal(ask(P9_TLOPEN, "44", N(2), N(0)), ELOOP);
    assert_int_equal(ask(P9_TREADLINK, "4", N(1)), EINVAL);
    assert_int_equal(fs_make_device(&fs, fs.root, "null", 0666, 1), 0);
    assert_int_equal(walk(0, 4, "null"), 0);
    assert_int_equal(ask(P9_TLOPEN, "44", N(4), N(P9_RDWR)), ENXIO);
    assert_int_equal(ask(P9_TMKDIR, "4s44", N(0), "d", N(0755), N(0)), 0);
    assert_int_equal(walk(0, 3, "d"), 0);
    assert_int_equal(ask(P9_TLINK, "44s", N(3), N(1), "g"), 0);
    assert_int_equal(ask(P9_TLINK, "44s", N(3), N(1), "g"), EEXIST);
    assert_int_equal(ask(P9_TLINK, "44s", N(3), N(0), "h"), EPERM);
    assert_int_equal(ask(P9_TRENAMEAT, "4s4s", N(3), "g", N(0), "e"), 0);
    assert_int_equal(ask(P9_TRENAMEAT, "4s4s", N(3), "g", N(0), "e"), ENOENT);
    assert_int_equal(ask(P9_TUNLINKAT, "4s4", N(0), "d", N(0)), EISDIR);
    assert_int_equal(ask(P9_TUNLINKAT, "4s4", N(0), "d", N(P9_REMOVE_FOLDER)), 0);
    assert_int_equal(ask(P9_TUNLINKAT, "4s4", N(0), "..", N(P9_REMOVE_FOLDER)), EINVAL);
    assert_int_equal(ask(P9_TMKDIR, "4s44", N(3), "in-no-folder", N(0755), N(0)), ENOENT);
    assert_int_equal(ask(P9_TMKDIR, "4s44", N(1), "in-a-file", N(0755), N(0)), ENOTDIR);
}

static void test_attributes_are_set_and_told(void **state)
{
    attach();
    assert_int_equal(create(1, "f"), 0);
    assert_int_equal(ask(P9_TSETATTR, "4444488888", N(1),
                         N(P9_SET_MODE | P9_SET_SIZE | P9_SET_ATIME | P9_SET_MTIME | P9_SET_MTIME_TO), N(0600), N(0),
                         N(0), N(5000), N(0), N(0), N(3), N(4)),
                     0);
    assert_int_equal(ask(P9_TGETATTR, "48", N(1), N(P9_GOT_BASIC)), 0);
    assert_int_equal(got.left, 153);
    assert_int_equal(p9_u64(&got), P9_GOT_BASIC);
    p9_bytes(&got, 13);
    assert_int_equal(p9_u32(&got), S_IFREG | 0600);
    p9_bytes(&got, 8);
    assert_int_equal(p9_u64(&got), 1);
    p9_bytes(&got, 8);
    assert_int_equal(p9_u64(&got), 5000);
    p9_bytes(&got, 16);
    assert_int_equal(p9_u64(&got), 7);
    assert_int_equal(p9_u64(&got), 9);
    assert_int_equal(p9_u64(&got), 3);
    assert_int_equal(p9_u64(&got), 4);
    assert_int_equal(
        ask(P9_TSETATTR, "4444488888", N(1), N(P9_SET_UID), N(0), N(5), N(0), N(0), N(0), N(0), N(0), N(0)), EPERM);
    assert_int_equal(
        ask(P9_TSETATTR, "4444488888", N(1), N(0), N(0), N(0), N(0), N(0), N(0), N(1000000000), N(0), N(0)), EINVAL);
}

static void test_numbers_of_files_are_bounded_and_come_back(void **state)
{
    attach();
    for (uint64_t i = 1; i < P9_FIDS; i++)
        assert_int_equal(ask(P9_TWALK, "442", N(0), i * 1000, N(0)), 0);
    assert_int_equal(ask(P9_TWALK, "442", N(0), N(1), N(0)), EMFILE);
    assert_int_equal(ask(P9_TATTACH, "44ss4", N(1), N(P9_NO_FID), "me", "", N(0)), EMFILE);
    assert_int_equal(ask(P9_TCLUNK, "4", N(5000)), 0);
    assert_int_equal(ask(P9_TWALK, "442", N(0), N(1), N(0)), 0);
}

static void test_who_may_only_read_changes_nothing(void **state)
{
    struct p9_session other;
    attach();
    assert_int_equal(create(1, "f"), 0);
    other = session;
    session.read_only = true;
    assert_int_equal(ask(P9_TWRITE, "4841", N(1), N(0), N(1), N('a')), EROFS);
    assert_int_equal(ask(P9_TMKDIR, "4s44", N(0), "d", N(0755), N(0)), EROFS);
    assert_int_equal(walk(0, 2, "f"), 0);
    assert_int_equal(ask(P9_TLOPEN, "44", N(2), N(P9_RDWR)), EROFS);
    assert_int_equal(ask(P9_TLOPEN, "44", N(2), N(P9_TRUNC)), EROFS);
    assert_int_equal(ask(P9_TLOPEN, "44", N(2), N(0)), 0);
    assert_int_equal(ask(P9_TREAD, "484", N(2), N(0), N(1)), 0);
    assert_int_equal(p9_u32(&got), 0);
    assert_int_equal(other.fs == session.fs, 1);
}

static void test_an_account_bounds_what_a_client_makes(void **state)
{
    struct fs_account account = { .most = 8192 };
    session.account = &account;
    attach();
    assert_int_equal(create(1, "f"), 0);
    assert_int_equal(ask(P9_TWRITE, "4841", N(1), N(0), N(1), N('a')), 0);
    assert_int_equal(ask(P9_TWRITE, "4841", N(1), N(4096), N(1), N('a')), ENOSPC);
    assert_null(fs.payer); /* the server's own things are nobody's */
    assert_int_equal(ask(P9_TSTATFS, "4", N(0)), 0);
    p9_bytes(&got, 8);
    assert_int_equal(p9_u64(&got), 2);
    assert_int_equal(p9_u64(&got), 0);
    assert_int_equal(ask(P9_TUNLINKAT, "4s4", N(0), "f", N(0)), 0);
    assert_int_equal(ask(P9_TCLUNK, "4", N(1)), 0);
    assert_int_equal(account.used, 0);
}

static int no_more(struct fs *of, struct fs_node *node) { return -EMFILE; }

static void test_a_file_that_cannot_be_opened_is_not_cut(void **state)
{
    struct p9_tree full = p9_memory;
    full.begin = no_more;
    attach();
    assert_int_equal(create(1, "f"), 0);
    assert_int_equal(ask(P9_TWRITE, "4841", N(1), N(0), N(1), N('a')), 0);
    session.tree = &full;
    assert_int_equal(walk(0, 2, "f"), 0);
    assert_int_equal(ask(P9_TLOPEN, "44", N(2), N(P9_RDWR | P9_TRUNC)), EMFILE);
    session.tree = &p9_memory;
    assert_int_equal(ask(P9_TREAD, "484", N(1), N(0), N(9)), 0);
    assert_int_equal(p9_u32(&got), 1);
}

/* Each message in each length that is too short, and, whole, in too little room. */
static void test_a_message_that_is_cut_short_is_refused(void **state)
{
    static const struct {
        uint8_t type;
        const char *fields;
    } message[] = {
        { P9_TVERSION, "4s" },    { P9_TATTACH, "44ss4" }, { P9_TWALK, "442s" },    { P9_TLOPEN, "44" },
        { P9_TLCREATE, "4s444" }, { P9_TREAD, "484" },     { P9_TREADDIR, "484" },  { P9_TCLUNK, "4" },
        { P9_TSYMLINK, "4ss4" },  { P9_TREADLINK, "4" },   { P9_TGETATTR, "48" },   { P9_TSETATTR, "4444488888" },
        { P9_TLINK, "44s" },      { P9_TMKDIR, "4s44" },   { P9_TUNLINKAT, "4s4" }, { P9_TRENAMEAT, "4s4s" },
        { P9_TWRITE, "484" },     { P9_TSTATFS, "4" },     { P9_TFSYNC, "4" },
    };
    attach();
    for (unsigned i = 0; i < sizeof message / sizeof *message; i++) {
        struct p9_cursor c = { asked, sizeof asked, false };
        p9_put(&c, 4, 0);
        p9_put(&c, 1, message[i].type);
        p9_put(&c, 2, 0x1234);
        for (const char *f = message[i].fields; *f; f++)
            if (*f == 's')
                p9_put_text(&c, "n", 1);
            else
                p9_put(&c, (unsigned)(*f - '0'), *f == '2' ? 1 : 0);
        size_t whole = (size_t)(c.at - asked);
        for (size_t n = P9_HEADER; n < whole; n++) {
            c = (struct p9_cursor){ asked, 4, false };
            p9_put(&c, 4, n);
            int error = send(message[i].type, n);
            assert_true(error == EINVAL || error == EBADF);
        }
    }
    struct fs_stat is;
    fs_describe(fs.root, &is);
    assert_int_equal(is.links, 2); /* nothing was made */
    asked[0] = 0;
    assert_int_equal(p9_serve(&session, asked, 20, answered, room), 0);
    assert_int_equal(p9_serve(&session, asked, 3, answered, room), 0);
}

static void test_an_answer_stays_in_its_room(void **state)
{
    attach();
    assert_int_equal(create(1, "f"), 0);
    assert_int_equal(
        ask(P9_TSETATTR, "4444488888", N(1), N(P9_SET_SIZE), N(0), N(0), N(0), N(100000), N(0), N(0), N(0), N(0)), 0);
    memset(answered, 0x55, sizeof answered);
    room = 64;
    assert_int_equal(ask(P9_TREAD, "484", N(1), N(0), N(100000)), 0);
    assert_int_equal(p9_u32(&got), 64 - P9_HEADER - 4);
    assert_int_equal(ask(P9_TGETATTR, "48", N(1), N(0)), ERANGE);
    assert_int_equal(answered[64], 0x55);
    room = sizeof answered;
    session.msize = 1100; /* less than there is room for */
    assert_int_equal(ask(P9_TREAD, "484", N(1), N(0), N(100000)), 0);
    assert_int_equal(p9_u32(&got), 1100 - P9_HEADER - 4);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_a_version_begins_a_session_and_ends_the_one_before),
        CASE(test_a_file_is_made_written_read_and_removed),
        CASE(test_a_walk_says_how_far_it_came),
        CASE(test_a_folder_is_read_in_pieces),
        CASE(test_names_change_and_links_lead_where_they_say),
        CASE(test_attributes_are_set_and_told),
        CASE(test_numbers_of_files_are_bounded_and_come_back),
        CASE(test_who_may_only_read_changes_nothing),
        CASE(test_an_account_bounds_what_a_client_makes),
        CASE(test_a_file_that_cannot_be_opened_is_not_cut),
        CASE(test_a_message_that_is_cut_short_is_refused),
        CASE(test_an_answer_stays_in_its_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
