/* SPDX-License-Identifier: MIT */
/*
 * vfs_link.c - see vfs_link.h. A question whose answer does not come is asked again by the same tag, so that the server
 * does it once. What the server says is checked: it may be hostile.
 */
#include "vfs_link.h"

#include <amalgam/cluster_files.h>
#include <nanvix/kernel/kernel.h>

#include "ask.h"
#include "nanvix.h"
#include "page_in.h"
#include "vfs_errors.h"

#define SILENT 5  /* questions without an answer */
#define CUT    50 /* questions of which a part was lost */

_Static_assert(offsetof(struct files_message, nonce) == offsetof(struct ask_head, nonce) &&
                   offsetof(struct files_message, reply_port) == offsetof(struct ask_head, reply_port),
               "a message of files begins as ask.h says");

static struct ask_server server;
static struct page_in pages;
static uint64_t secret;
static uint32_t life, tag;
static struct files_room room;

uint32_t vfs_session;

static int over(void)
{
    life = 0;
    vfs_session++;
    return -EIO;
}

/* Send all parts of a question. Returns false: the last one has no answer. */
static bool send(size_t size, struct files_message *m)
{
    for (size_t at = 0, n; at < size; at += n) {
        n = size - at < FILES_PART ? size - at : FILES_PART;
        bool last = at + n == size;
        *m = (struct files_message){ .magic = FILES_MAGIC,
                                     .op = last ? FILES_ASK : FILES_PUT,
                                     .n = (uint8_t)n,
                                     .life = life,
                                     .client = secret,
                                     .tag = tag,
                                     .at = (uint16_t)at,
                                     .port = (uint8_t)pages.port };
        p9_copy(m->data, room.question + at, n);
        server.rests_until = 0;
        if (!(last ? ask_in_place(&server, m, ASK_PATIENCE_NS) : ask_send(&server, m, sizeof(*m))))
            return false;
    }
    return true;
}

/* Returns whether an answer can be one, of which at most `n` bytes may come through the portal. */
static bool is_answer(const struct files_message *m, size_t n)
{
    return m->n >= P9_HEADER && m->n <= FILES_PART && m->at <= n && (!m->at || m->n == FILES_HEAD);
}

/* Ask for the n bytes of an answer that are not in it, in messages: no page comes. */
static int fetch(uint8_t *to, size_t n)
{
    for (size_t at = 0, part, silent = 0; at < n;) {
        struct files_message m = { .magic = FILES_MAGIC,
                                   .op = FILES_REST,
                                   .life = life,
                                   .client = secret,
                                   .tag = tag,
                                   .at = (uint16_t)(FILES_HEAD + at) };
        part = n - at < FILES_PART ? n - at : FILES_PART;
        server.rests_until = 0;
        bool answered = ask(&server, &m, sizeof(m));
        if (!answered && ++silent < SILENT)
            continue;
        if (!answered || m.result != FILES_DONE || m.n != part)
            return over();
        p9_copy(to + at, m.data, part);
        at += part;
    }
    return 0;
}

/* Ask until the answer is here, what comes through the portal at `data`. Returns 0 or an error. */
static int exchange(size_t size, struct files_message *m, void *data, size_t n)
{
    tag++;
    for (unsigned turn = 0, cut = 0, silent = 0;;) {
        if (!send(size, m)) {
            pages.lost = true;
            if (++silent == SILENT)
                return over();
            continue;
        }
        if (m->result == FILES_FULL)
            return -EAGAIN;
        if (m->result == FILES_PARTS) {
            if (++cut == CUT)
                return over();
            continue;
        }
        if ((m->result != FILES_DONE && m->result != FILES_AGAIN) || !is_answer(m, n)) {
            pages.lost |= m->result == FILES_DONE && m->at;
            return over();
        }
        life = m->life;
        if (!m->at)
            return m->result == FILES_DONE ? 0 : over();
        switch (page_in_receive(&pages, server.node, m->port, m->result == FILES_DONE, data, m->at, turn++)) {
        case PAGE_IN_HERE: return 0;
        case PAGE_IN_LATE: return fetch(data, m->at);
        case PAGE_IN_AGAIN: break;
        }
    }
}

struct p9_cursor vfs_question(void)
{
    return (struct p9_cursor){ room.question + P9_HEADER, FILES_QUESTION - P9_HEADER, false };
}

/* Returns the error of this program's numbers. */
static int error_of(uint32_t said)
{
    static const int own[] = { VFS_ERRORS(VFS_NUMBER) };
    for (unsigned i = 0; i < sizeof(own) / sizeof(*own); i++)
        if (said == (uint32_t)vfs_wire_errors[i])
            return -own[i];
    return -EIO;
}

int vfs_ask(struct p9_cursor *q, uint8_t type, struct p9_cursor *in, void *data, size_t n)
{
    struct files_message m;
    size_t size = (size_t)(q->at - room.question);
    struct p9_cursor head = { room.question, P9_HEADER, false };
    if (q->bad)
        return -ENAMETOOLONG;
    p9_put(&head, 4, size);
    p9_put(&head, 1, type);
    p9_put(&head, 2, tag & 0x7fff);
    int error = exchange(size, &m, data ? data : room.answer + FILES_HEAD, data ? n : FILES_DATA);
    if (error)
        return error;
    p9_copy(room.answer, m.data, m.n);
    *in = (struct p9_cursor){ room.answer, data && m.at ? FILES_HEAD : (size_t)m.n + m.at, false };
    uint32_t said = p9_u32(in);
    uint8_t of = p9_u8(in);
    uint16_t same = p9_u16(in);
    if (said != (uint32_t)m.n + m.at || same != ((tag - 1) & 0x7fff))
        return over();
    if (of == P9_RLERROR)
        return error_of(p9_u32(in));
    struct p9_cursor count = { room.answer + P9_HEADER, 4, false };
    if (data && m.at && p9_u32(&count) != m.at)
        return over();
    return of == type + 1 ? 0 : over();
}

static int begin(void)
{
    if (server.port)
        return 0;
    int error = ask_begin();
    if (error)
        return error;
    if (!page_in_begin(&pages))
        return -EAGAIN;
    struct ask_server named;
    if (!ask_list("FILES", "0", &named, FILES_PORT, 1))
        return -EINVAL;
    secret = ask_random();
    server = named;
    return 0;
}

/* Returns whether the answer says what this library has asked for. */
static bool is_our_version(struct p9_cursor *in)
{
    uint32_t room_said = p9_u32(in);
    uint16_t n = p9_u16(in);
    const uint8_t *version = p9_bytes(in, n);
    return room_said == FILES_ANSWER && n == sizeof(P9_VERSION) - 1 && version && !memcmp(version, P9_VERSION, n);
}

int vfs_connect(void)
{
    struct p9_cursor in, q;
    int error = life ? 0 : begin();
    if (life || error)
        return error;
    q = vfs_question();
    p9_put(&q, 4, FILES_ANSWER);
    p9_put_text(&q, P9_VERSION, sizeof(P9_VERSION) - 1);
    error = vfs_ask(&q, P9_TVERSION, &in, NULL, 0);
    if (error)
        return life ? over() : -EAGAIN;
    if (!is_our_version(&in))
        return over();
    vfs_session++;
    q = vfs_question();
    p9_put(&q, 4, VFS_ROOT);
    p9_put(&q, 4, P9_NO_FID);
    p9_put_text(&q, "", 0);
    p9_put_text(&q, "", 0);
    p9_put(&q, 4, 0);
    error = vfs_ask(&q, P9_TATTACH, &in, NULL, 0);
    return error ? over() : 0;
}
