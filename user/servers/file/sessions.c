/* SPDX-License-Identifier: MIT */
/* sessions.c - see sessions.h. */
#include "sessions.h"

#include <errno.h>
#include <string.h>

#include "../../files/node.h"

#define PORTS 16 /* of a cluster */

_Static_assert(FILES_QUESTION == P9_IO_HEADER + FILES_DATA && FILES_HEAD == P9_HEADER + 4, "as cluster_files.h says");

/* Who writes first to a file that the server began with pays for it from then on, else nobody would. One who could
 * write nothing does not, unless memory was taken for it. */
static int64_t write_and_pay(struct fs *fs, struct fs_node *node, uint64_t at, const void *from, size_t n)
{
    struct fs_account *a = fs->payer;
    if (!a || node->payer || !n)
        return fs_write(fs, node, at, from, n);
    if (a->used > a->most || a->most - a->used < sizeof(*node))
        return -ENOSPC;
    uint64_t used = a->used += sizeof(*node);
    node->payer = a;
    int64_t done = fs_write(fs, node, at, from, n);
    if (done < 0 && a->used == used) {
        node->payer = NULL;
        a->used -= sizeof(*node);
    }
    return done;
}

void sessions_begin(struct sessions *s, struct fs *fs, struct session *memory, unsigned clusters, uint32_t life,
                    uint64_t quota, bool read_only)
{
    memset(s, 0, sizeof(*s));
    s->fs = fs;
    s->tree = p9_memory;
    s->tree.write = write_and_pay;
    s->session = memory;
    s->clusters = clusters;
    s->life = life;
    s->read_only = read_only;
    for (unsigned i = 0; i < clusters; i++)
        s->account[i].most = quota;
}

static struct session *of_client(struct sessions *s, unsigned node, uint64_t client)
{
    struct session *first = s->session + node * SESSIONS_EACH;
    for (struct session *c = first; c < first + SESSIONS_EACH; c++)
        if (c->life && c->client == client)
            return c;
    return NULL;
}

/* Returns one that a new session of the cluster may have, or NULL. */
static struct session *free_for(struct sessions *s, unsigned node, uint64_t client, uint64_t now)
{
    struct session *first = s->session + node * SESSIONS_EACH, *found = of_client(s, node, client);
    for (struct session *c = first; c < first + SESSIONS_EACH && !found; c++)
        if (!c->life)
            found = c;
    for (struct session *c = first; c < first + SESSIONS_EACH && !found; c++)
        if (now - c->heard >= SESSIONS_SILENT)
            found = c;
    return found;
}

static struct session *begin(struct sessions *s, unsigned node, uint64_t client, uint64_t now)
{
    struct session *c = free_for(s, node, client, now);
    if (!c)
        return NULL;
    if (c->life)
        p9_end(&c->files);
    p9_begin(&c->files, &s->tree, s->fs, &s->account[node], s->read_only);
    s->life += s->life == UINT32_MAX ? 2 : 1;
    c->life = s->life;
    c->client = client;
    c->come = c->answered = 0;
    return c;
}

/* Returns false: it is not the next part of a question, and dropped. */
static bool take_part(struct session *c, const struct files_message *m)
{
    if (!m->at)
        c->come = 0;
    if (m->n > FILES_PART || m->at != c->come || m->n > FILES_QUESTION - c->come)
        return false;
    memcpy(c->room.question + c->come, m->data, m->n);
    c->come = (uint16_t)(c->come + m->n);
    return true;
}

/* Carry out a question whose last part this is, unless it has been. Returns false: it is not whole. */
static bool carry_out(struct session *c, const struct files_message *m)
{
    if (c->answered && c->tag == m->tag)
        return true;
    bool whole = take_part(c, m);
    size_t n = c->come;
    c->come = 0;
    if (!whole)
        return false;
    size_t answered = p9_serve(&c->files, c->room.question, n, c->room.answer, FILES_ANSWER);
    c->answered = (uint16_t)(answered ? answered : p9_refuse(c->room.answer, EPROTO));
    c->tag = m->tag;
    return true;
}

/* Put the answer into the message, or what of it has room. */
static void put_answer(const struct session *c, struct files_message *m, const uint8_t **data)
{
    bool in_two = c->answered > FILES_PART;
    m->n = (uint8_t)(in_two ? FILES_HEAD : c->answered);
    m->at = (uint16_t)(c->answered - m->n);
    memcpy(m->data, c->room.answer, m->n);
    *data = c->room.answer + FILES_HEAD;
}

/* Put a part of an answer into the message, for a client to which no page can be sent. */
static enum files_result put_rest(struct session *c, struct files_message *m, uint64_t now)
{
    if (!c || m->life != c->life)
        return FILES_LOST;
    c->heard = now;
    if (c->tag != m->tag || m->at >= c->answered)
        return FILES_WRONG;
    unsigned left = c->answered - m->at;
    m->n = (uint8_t)(left < FILES_PART ? left : FILES_PART);
    memcpy(m->data, c->room.answer + m->at, m->n);
    m->at = 0;
    return FILES_DONE;
}

static enum files_result answer(struct sessions *s, unsigned node, struct files_message *m, uint64_t now,
                                const uint8_t **data)
{
    if (m->op == FILES_REST)
        return put_rest(m->life ? of_client(s, node, m->client) : NULL, m, now);
    if (m->op != FILES_ASK || m->port >= PORTS)
        return FILES_WRONG;
    struct session *c = m->life ? of_client(s, node, m->client) : begin(s, node, m->client, now);
    if (!c || (m->life && m->life != c->life))
        return m->life ? FILES_LOST : FILES_FULL;
    c->heard = now;
    m->life = c->life;
    if (!carry_out(c, m))
        return FILES_PARTS;
    put_answer(c, m, data);
    return FILES_DONE;
}

static void put(struct sessions *s, unsigned node, const struct files_message *m, uint64_t now)
{
    struct session *c = of_client(s, node, m->client);
    if (!c || m->life != c->life)
        return;
    c->heard = now;
    take_part(c, m);
}

bool sessions_serve(struct sessions *s, unsigned node, struct files_message *m, uint64_t now, const uint8_t **data)
{
    if (m->magic != FILES_MAGIC || m->reply_port >= PORTS || node >= s->clusters) {
        s->refused++;
        return false;
    }
    if (m->op == FILES_PUT) {
        put(s, node, m, now);
        return false;
    }
    enum files_result result = answer(s, node, m, now, data);
    if (result != FILES_DONE)
        m->n = m->at = 0;
    s->refused += result == FILES_WRONG || result == FILES_FULL;
    m->result = (uint8_t)result;
    m->client = 0;
    return true;
}
