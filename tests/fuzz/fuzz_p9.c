/* SPDX-License-Identifier: MIT */
/*
 * p9_serve(): a session of messages by a hostile client, after a version and a root. The first byte of each chooses
 * what it is: seven of eight times a message that is well formed, whose fids are small and whose names few, as those
 * that mean something are else seldom hit; else bytes as they are. Answers stay in their room and say their length, the
 * account is never exceeded, and at the end nothing is left of it.
 */
#include <server.h>
#include <stdlib.h>
#include <string.h>
#include "input.h"

#define ROOM 600u
#define MOST (64u << 10)

/* f: a fid; n: a name; others: numbers of so many bytes. */
static const struct {
    uint8_t type;
    const char *fields;
} forms[] = {
    { P9_TWALK, "ff1n" },     { P9_TWALK, "ff2nn" }, { P9_TWALK, "ff0" },     { P9_TLOPEN, "f4" },
    { P9_TLCREATE, "fn444" }, { P9_TREAD, "f84" },   { P9_TREADDIR, "f84" },  { P9_TCLUNK, "f" },
    { P9_TSYMLINK, "fnn4" },  { P9_TREADLINK, "f" }, { P9_TGETATTR, "f8" },   { P9_TSETATTR, "f444488888" },
    { P9_TLINK, "ffn" },      { P9_TMKDIR, "fn44" }, { P9_TUNLINKAT, "fnr" }, { P9_TRENAMEAT, "fnfn" },
    { P9_TWRITE, "f8d" },     { P9_TSTATFS, "f" },   { P9_TFSYNC, "f4" },     { P9_TLCREATE, "fn444" },
};
static const char *const names[] = { "a", "b", "c", "..", "", "a/b", "dd", "ee" };

/* A number of which the upper bytes are seldom there. */
static uint64_t small(struct input *in)
{
    uint8_t how = byte(in);
    return how < 128 ? how : how < 240 ? (uint64_t)byte(in) << 8 : (uint64_t)byte(in) << 56 | byte(in);
}

static size_t compose(struct input *in, uint8_t *to, size_t room, const char *fields)
{
    struct p9_cursor c = { to, room, false };
    for (; *fields; fields++) {
        const char *name = names[byte(in) % (sizeof names / sizeof *names)];
        if (*fields == 'f')
            p9_put(&c, 4, byte(in) % 6);
        else if (*fields == 'n')
            p9_put_text(&c, name, strlen(name));
        else if (*fields == 'r')
            p9_put(&c, 4, byte(in) & 1 ? P9_REMOVE_FOLDER : 0);
        else if (*fields == 'd')
            p9_put(&c, 4, 3), p9_put(&c, 2, 0x6162), p9_put(&c, 1, 0x63);
        else if (*fields <= '2')
            p9_put(&c, 2, (uint64_t)(*fields - '0')); /* names of a walk */
        else
            p9_put(&c, (unsigned)(*fields - '0'), small(in));
    }
    return (size_t)(c.at - to);
}

static size_t raw(struct input *in, uint8_t *to)
{
    size_t n = byte(in) % 64;
    for (size_t i = 0; i < n; i++)
        to[i] = byte(in);
    return n;
}

static uint64_t now(void) { return 1; }

static size_t say(struct p9_session *s, uint8_t type, const uint8_t *fields, size_t n)
{
    static uint8_t message[P9_HEADER + 256], answer[ROOM + 16];
    struct p9_cursor c = { message, sizeof message, false };
    p9_put(&c, 4, P9_HEADER + n);
    p9_put(&c, 1, type);
    p9_put(&c, 2, 7);
    memcpy(c.at, fields, n);
    memset(answer + ROOM, 0x55, 16);
    size_t got = p9_serve(s, message, P9_HEADER + n, answer, ROOM);
    struct p9_cursor a = { answer, ROOM, false };
    if (got < P9_HEADER || got > ROOM || p9_u32(&a) != got || answer[ROOM] != 0x55)
        abort();
    return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct p9_session s;
    struct fs fs;
    struct fs_account account = { .most = MOST };
    const uint8_t version[] = { 0, 16, 0, 0, 8, 0, '9', 'P', '2', '0', '0', '0', '.', 'L' };
    const uint8_t attach[] = { 0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0 };
    if (fs_begin(&fs, NULL, now))
        abort();
    p9_begin(&s, &p9_memory, &fs, &account, false);
    say(&s, P9_TVERSION, version, sizeof version);
    say(&s, P9_TATTACH, attach, sizeof attach);
    for (struct input in = { data, size }; in.left;) {
        uint8_t fields[256], what = byte(&in), form = what % (sizeof forms / sizeof *forms);
        size_t n = what < 224 ? compose(&in, fields, sizeof fields, forms[form].fields) : raw(&in, fields);
        say(&s, forms[form].type, fields, n);
        if (account.used > MOST || fs.payer)
            abort();
    }
    p9_end(&s);
    fs_end(&fs);
    if (account.used)
        abort();
    return 0;
}
