/* SPDX-License-Identifier: MIT */
/* table.c - see table.h. Programs on their way in are in upload.c, what they write is in output.c. */
#include "table.h"

#include <string.h>

#include "output.h"
#include "upload.h"

#define PORTS   16 /* of a cluster */
#define NUMBERS 0xffffffu
#define EACH    PROCESSES_CLUSTERS

void processes_begin(struct processes *p, uint32_t life, unsigned char *memory, uint32_t room, unsigned threads,
                     unsigned share, const struct processes_calls *calls)
{
    memset(p, 0, sizeof(*p));
    p->life = life;
    p->next = life & NUMBERS; /* so that a number of the last life is hardly one of this */
    p->room = room;
    p->threads = threads;
    p->share = share;
    p->starters = UINT32_MAX;
    p->calls = calls;
    for (unsigned i = 0; i < PROCESSES_UPLOADS; i++)
        p->upload[i].memory = memory + (size_t)i * (room + PROCESSES_TEXTS);
}

static struct processes_process *find(struct processes *p, unsigned node, uint64_t client, uint32_t number)
{
    for (struct processes_process *q = p->process; q < p->process + PROCESSES_MOST; q++)
        if (q->number && q->number == number && q->node == node && q->client == client)
            return q;
    return NULL;
}

/* While there is output to read, or may be some, it has not ended. */
static void look_for_end(struct processes *p, struct processes_process *q)
{
    if (!q->number || !q->child || !output_is_over(p, q))
        return;
    if (p->calls->ended(q->child, &q->status))
        q->child = 0;
}

/* --- clients ------------------------------------------------------------------------------------------------------ */

static struct processes_client *known(struct processes *p, unsigned node, uint64_t number)
{
    for (struct processes_client *c = p->client[node]; c < p->client[node] + PROCESSES_CLIENTS; c++)
        if (c->used && c->number == number)
            return c;
    return NULL;
}

/* Note that a client lives, with all that it has started. It may take the place of the one of its cluster that was
 * silent for longest. */
static struct processes_client *heard(struct processes *p, unsigned node, uint64_t number, uint64_t now)
{
    struct processes_client *c = known(p, node, number);
    if (!c) {
        c = p->client[node];
        for (struct processes_client *o = c; o < p->client[node] + PROCESSES_CLIENTS; o++)
            if (!o->used || (c->used && o->heard < c->heard))
                c = o;
        *c = (struct processes_client){ .number = number, .used = true };
    }
    c->heard = now;
    for (struct processes_process *q = p->process; q < p->process + PROCESSES_MOST; q++)
        if (q->node == node && q->client == number)
            q->heard = now;
    return c;
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static unsigned running(struct processes *p, unsigned node)
{
    unsigned n = 0;
    for (struct processes_process *q = p->process; q < p->process + PROCESSES_MOST; q++)
        n += q->number && q->child && q->node == node;
    return n;
}

/* Returns the cluster that would have the most ended records if `node` had one more. */
static unsigned has_most_ended(const struct processes *p, unsigned node)
{
    unsigned ended[PROCESSES_CLUSTERS] = { 0 }, most = node;
    for (const struct processes_process *q = p->process; q < p->process + PROCESSES_MOST; q++)
        ended[q->node] += q->number && !q->child;
    ended[node] += ended[node] != 0;
    for (unsigned i = 0; i < PROCESSES_CLUSTERS; i++)
        if (ended[i] > ended[most])
            most = i;
    return most;
}

/* Returns a free record, or the one that has ended for longest, as numbers grow, of the cluster that has the most of
 * them. There are fewer slots than records. */
static struct processes_process *record_for(struct processes *p, unsigned node)
{
    struct processes_process *found = NULL;
    unsigned most = has_most_ended(p, node);
    for (struct processes_process *q = p->process; q < p->process + PROCESSES_MOST; q++) {
        if (!q->number)
            return q;
        if (!q->child && q->node == most && (!found || ((q->number - found->number) & NUMBERS) > NUMBERS / 2))
            found = q;
    }
    return found;
}

static uint32_t next_number(struct processes *p)
{
    for (;;) {
        bool used = !(p->next = (p->next + 1) & NUMBERS);
        for (struct processes_process *q = p->process; q < p->process + PROCESSES_MOST; q++)
            used |= q->number == p->next;
        if (!used)
            return p->next;
    }
}

/* End what silent clients have started, of one cluster or of EACH, and drop its output. It is gone a little later. */
static void end_silent(struct processes *p, unsigned node, uint64_t now)
{
    for (struct processes_process *q = p->process; q < p->process + PROCESSES_MOST; q++)
        if (q->number && q->child && (node == EACH || q->node == node) && now - q->heard >= PROCESSES_SILENT) {
            output_drop(p, q);
            p->calls->kill(q->child);
        }
}

static enum processes_result start(struct processes *p, unsigned node, struct processes_message *m, uint64_t now)
{
    struct processes_upload *u = upload_whole(p, node, m->client);
    if (!u)
        return PROCESSES_AGAIN;
    for (struct processes_process *q = p->process; q < p->process + PROCESSES_MOST; q++)
        look_for_end(p, q);
    struct processes_process *q = record_for(p, node);
    if (!q || m->n > p->threads)
        return PROCESSES_FULL;
    if (running(p, node) >= p->share) {
        end_silent(p, node, now);
        return PROCESSES_FULL;
    }
    uint32_t output = PROCESSES_NO_OUTPUT;
    int64_t child = p->calls->start(u, m->number, m->value, m->piped ? &output : NULL);
    if (!child) {
        end_silent(p, EACH, now);
        return PROCESSES_FULL;
    }
    if (child < 0) {
        m->value = (uint32_t)-child;
        return PROCESSES_REFUSED;
    }
    q->child = (uint32_t)child;
    q->output = output;
    q->dropped = false;
    q->number = m->number = next_number(p);
    q->client = m->client;
    q->heard = now;
    q->node = (uint8_t)node;
    q->threads = m->n;
    p->started++;
    upload_name(u, q->name);
    u->used = false;
    return PROCESSES_DONE;
}

/* --- the other requests ------------------------------------------------------------------------------------------- */

static enum processes_result wait(struct processes *p, unsigned node, struct processes_message *m)
{
    struct processes_process *q = find(p, node, m->client, m->number);
    if (!q)
        return PROCESSES_NONE;
    look_for_end(p, q);
    if (q->child)
        return PROCESSES_RUNS;
    m->value = q->status;
    q->number = 0;
    return PROCESSES_DONE;
}

static enum processes_result kill(struct processes *p, unsigned node, struct processes_message *m)
{
    char name[PROCESSES_NAME] = { 0 };
    memcpy(name, m->data, sizeof(name) - 1);
    m->value = 0;
    for (struct processes_process *q = p->process; q < p->process + PROCESSES_MOST; q++) {
        bool named = m->number ? q->number == m->number : !strcmp(q->name, name);
        if (!q->number || !named || q->node != node || q->client != m->client)
            continue;
        look_for_end(p, q);
        if (!q->child)
            continue;
        p->calls->kill(q->child);
        m->value++;
    }
    return m->value || (m->number && find(p, node, m->client, m->number)) ? PROCESSES_DONE : PROCESSES_NONE;
}

static enum processes_result list(struct processes *p, struct processes_message *m)
{
    struct processes_process *found = NULL;
    for (struct processes_process *q = p->process; q < p->process + PROCESSES_MOST; q++)
        if (q->number > m->number && (!found || q->number < found->number))
            found = q;
    if (!found)
        return PROCESSES_NONE;
    look_for_end(p, found);
    m->number = found->number;
    m->from = found->node;
    m->n = found->threads;
    m->runs = found->child != 0;
    memset(m->data, 0, sizeof(m->data));
    memcpy(m->data, found->name, sizeof(found->name));
    return PROCESSES_DONE;
}

static enum processes_result stats(const struct processes *p, struct processes_message *m)
{
    struct processes_stats s = { .started = p->started, .refused = p->refused };
    p->calls->count(&s);
    memset(m->data, 0, sizeof(m->data));
    memcpy(m->data, &s, sizeof(s));
    return PROCESSES_DONE;
}

static enum processes_result output(struct processes *p, unsigned node, struct processes_message *m)
{
    struct processes_process *q = find(p, node, m->client, m->number);
    return q ? output_read(p, q, m) : PROCESSES_NONE;
}

/* A cluster that may start programs itself is asked for no handle. */
static bool may_start(const struct processes *p, unsigned node, const struct processes_message *m)
{
    struct processes_handle h;
    if (p->starters >> node & 1)
        return true;
    memcpy(&h, m->data, sizeof(h));
    return h.from < PROCESSES_CLUSTERS && h.key && h.key == p->key[h.from];
}

static enum processes_result give_handle(struct processes *p, unsigned node, struct processes_message *m)
{
    if (!(p->starters >> node & 1))
        return PROCESSES_FORBIDDEN;
    if (m->value)
        p->key[node] = 0;
    if (!p->key[node])
        p->key[node] = p->calls->draw();
    const struct processes_handle h = { .key = p->key[node], .from = node };
    memset(m->data, 0, sizeof(m->data));
    memcpy(m->data, &h, sizeof(h));
    return h.key ? PROCESSES_DONE : PROCESSES_FORBIDDEN;
}

static enum processes_result carry_out(struct processes *p, unsigned node, struct processes_message *m, uint64_t now)
{
    if ((m->op == PROCESSES_UPLOAD || m->op == PROCESSES_START) && !may_start(p, node, m))
        return PROCESSES_FORBIDDEN;
    switch (m->op) {
    case PROCESSES_UPLOAD: return upload_begin(p, node, m, now);
    case PROCESSES_START: return start(p, node, m, now);
    case PROCESSES_WAIT: return wait(p, node, m);
    case PROCESSES_KILL: return kill(p, node, m);
    case PROCESSES_OUTPUT: return output(p, node, m);
    case PROCESSES_LIST: return list(p, m);
    case PROCESSES_STATS: return stats(p, m);
    case PROCESSES_HANDLE: return give_handle(p, node, m);
    default: return PROCESSES_WRONG;
    }
}

/* Has a request a tag? It is carried out once then. */
static bool is_tagged(enum processes_op op)
{
    return op == PROCESSES_START || op == PROCESSES_WAIT || op == PROCESSES_KILL || op == PROCESSES_OUTPUT;
}

static void carry_out_once(struct processes *p, unsigned node, struct processes_message *m, uint64_t now)
{
    struct processes_client *c = heard(p, node, m->client, now);
    const struct processes_message asked = *m;
    if (c->last.magic && c->last.tag == m->tag && c->last.op == m->op) {
        *m = c->last;
        m->nonce = asked.nonce;
        m->reply_port = asked.reply_port;
        return;
    }
    m->result = (uint8_t)carry_out(p, node, m, now);
    c->last = *m;
}

bool processes_serve(struct processes *p, unsigned node, struct processes_message *m, uint64_t now)
{
    if (m->magic != PROCESSES_MAGIC || m->reply_port >= PORTS || node >= PROCESSES_CLUSTERS) {
        p->refused++;
        return false;
    }
    bool lost = m->life && m->life != p->life;
    m->life = p->life;
    if (m->op == PROCESSES_PUT) {
        if (!lost)
            upload_put(p, node, m);
        return false;
    }
    if (lost)
        m->result = PROCESSES_LOST;
    else if (is_tagged(m->op))
        carry_out_once(p, node, m, now);
    else
        m->result = (uint8_t)carry_out(p, node, m, now);
    p->refused += m->result == PROCESSES_WRONG || m->result == PROCESSES_FULL || m->result == PROCESSES_FORBIDDEN;
    m->client = 0;
    return true;
}
