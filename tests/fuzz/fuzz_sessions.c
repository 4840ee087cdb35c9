/* SPDX-License-Identifier: MIT */
/*
 * sessions_serve(): messages of hostile clients of two clusters to a file server. The first byte of each says how much
 * of it is right: its head, its client, a session that is there, a question of 9P that is well formed. Answers say no
 * more than they have, no account is exceeded, and at the end nothing is left of any.
 */
#include <file/sessions.h>
#include <stdlib.h>
#include <string.h>
#include "input.h"

#define CLUSTERS 2u
#define MOST     9000u /* two blocks, and a little */

static uint64_t now(void) { return 1; }

/* A whole question: a version, a root, a walk from it, a file that is made, written, or else. */
static size_t compose(struct input *in, uint8_t *to)
{
    static const uint8_t types[] = { P9_TVERSION, P9_TATTACH, P9_TWALK,    P9_TLCREATE, P9_TWRITE,   P9_TREAD,
                                     P9_TLOPEN,   P9_TCLUNK,  P9_TGETATTR, P9_TMKDIR,   P9_TREADDIR, P9_TUNLINKAT };
    uint8_t type = types[byte(in) % sizeof types], name = (uint8_t)('a' + byte(in) % 4);
    struct p9_cursor c = { to + P9_HEADER, FILES_PART - P9_HEADER, false };
    if (type == P9_TVERSION) {
        p9_put(&c, 4, FILES_ANSWER);
        p9_put_text(&c, P9_VERSION, strlen(P9_VERSION));
    } else if (type == P9_TATTACH) {
        p9_put(&c, 4, 0), p9_put(&c, 4, P9_NO_FID), p9_put(&c, 8, 0);
    } else {
        p9_put(&c, 4, byte(in) % 3);
        if (type == P9_TWALK)
            p9_put(&c, 4, byte(in) % 3), p9_put(&c, 2, byte(in) % 2);
        if (type != P9_TWRITE && type != P9_TREAD && type != P9_TREADDIR)
            p9_put_text(&c, (const char *)&name, 1);
        else
            p9_put(&c, 8, (uint64_t)byte(in) << byte(in) % 40);
        p9_put(&c, 4, type == P9_TWRITE ? byte(in) % 64 : (uint64_t)byte(in) << 8);
        if (type == P9_TWRITE)
            p9_put(&c, 8, 1), p9_put(&c, 8, 2);
        p9_put(&c, 8, 0644);
    }
    struct p9_cursor head = { to, P9_HEADER, false };
    p9_put(&head, 4, (uint64_t)(c.at - to));
    p9_put(&head, 1, type);
    return (size_t)(c.at - to);
}

static void serve(struct sessions *s, struct input *in, uint64_t *time)
{
    struct files_message m;
    const uint8_t *data = (const uint8_t *)&m;
    uint8_t how = byte(in), node = byte(in) % (CLUSTERS + 1);
    for (size_t i = 0; i < sizeof m; i++)
        ((uint8_t *)&m)[i] = how & 1 ? byte(in) : 0;
    if (how & 14)
        m.magic = FILES_MAGIC;
    if (how & 2) {
        const struct session *c = &s->session[byte(in) % (CLUSTERS * SESSIONS_EACH)];
        m.client = how & 4 ? c->client : byte(in) % 6;
        m.life = how & 4 ? c->life : 0;
        m.op = how & 8 ? FILES_ASK : FILES_PUT;
        m.at = how & 16 ? c->come : 0;
        m.tag = byte(in);
        m.port = m.reply_port = 1;
    }
    if (how & 32)
        m.n = (uint8_t)compose(in, m.data);
    if (how & 128)
        m.n = FILES_PART;
    *time += how & 64 ? SESSIONS_SILENT / 4 : 1;
    if (sessions_serve(s, node, &m, *time, &data)) {
        uint8_t sent[FILES_DATA];
        if (m.n > FILES_PART || m.n + m.at > FILES_ANSWER || (m.at && m.n != FILES_HEAD))
            abort();
        memcpy(sent, data, m.at); /* the sanitizer looks */
    }
    for (unsigned i = 0; i < CLUSTERS; i++)
        if (s->account[i].used > MOST)
            abort();
    for (unsigned i = 0; i < CLUSTERS * SESSIONS_EACH; i++)
        if (s->session[i].come > FILES_QUESTION || s->session[i].answered > FILES_ANSWER)
            abort();
    if (s->fs->payer)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct session memory[CLUSTERS * SESSIONS_EACH];
    static struct sessions s;
    struct fs fs;
    struct fs_node *given;
    uint64_t time = SESSIONS_SILENT;
    memset(memory, 0, sizeof memory);
    if (fs_begin(&fs, NULL, now) || fs_open(&fs, fs.root, "a", FS_CREATE, 0644, &given))
        abort();
    fs_release(given);
    sessions_begin(&s, &fs, memory, CLUSTERS, UINT32_MAX - 5, MOST, false);
    for (struct input in = { data, size }; in.left;)
        serve(&s, &in, &time);
    for (struct session *c = memory; c < memory + CLUSTERS * SESSIONS_EACH; c++)
        if (c->life)
            p9_end(&c->files);
    fs_end(&fs);
    for (unsigned i = 0; i < CLUSTERS; i++)
        if (s.account[i].used)
            abort();
    return 0;
}
