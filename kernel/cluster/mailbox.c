/* SPDX-License-Identifier: MIT */
/*
 * mailbox.c - messages of up to 128 bytes to a port of a cluster.
 *
 * Messages for this cluster are kept in a pool until they are read, also those that come before their mailbox exists.
 * Each sending cluster may always have one in the pool; the rest of the pool is for all. A message for which there is
 * no room stays in its lane, and later messages of the same sender wait behind it; other senders are not delayed. If a
 * reader waits for a message it is copied to the reader directly; a reader only waits if the pool has no message for
 * it.
 */
#include <core/init.h>
#include <errors.h>
#include <string.h>

#include "end.h"

#define POOL (NOC_CLUSTERS + 16u)

static struct mailbox {
    struct comm_end end;
    u16 size;    /* bytes of the read that was started; 0: none was */
    bool wrote;  /* a write was started */
    bool filter; /* the next read takes messages of from_node, from_port only */
    u8 from_node, from_port;
    u64 user;
    struct comm *reader; /* the read that waits for a message; NULL: none */
} boxes[COMM_MAILBOXES];
static const struct comm_table table = { boxes, sizeof(boxes[0]), COMM_MAILBOXES };
static struct mailbox *at_port[COMM_PORTS]; /* the mailbox that receives there */

static struct letter {
    u8 data[COMM_MESSAGE] __aligned(8);
    u32 order; /* 0: free; smaller is older */
    u8 from_node, from, to;
    bool late; /* a later message of the same cluster has been read */
} pool[POOL];
static u32 latest;
static unsigned
    held; /* how many are used; the first free one is filled next, so a search may end after `held` used ones */

/* Returns whether a late message waits for a port. In Nanvix a cluster's messages come one after the other, so a
 * message that a later one has overtaken is late. A message that comes before its mailbox is for the next mailbox at
 * its port. */
static bool is_late(unsigned port)
{
    for (unsigned i = 0; i < POOL; i++)
        if (pool[i].order && pool[i].late && pool[i].to == port)
            return true;
    return false;
}

static void take(struct letter *taken)
{
    for (unsigned i = 0, seen = 0; i < POOL && seen < held; i++) {
        struct letter *l = &pool[i];
        seen += l->order != 0;
        l->late |= l->from_node == taken->from_node && (s32)(l->order - taken->order) < 0;
    }
    taken->order = 0;
    held--;
}

/* Returns the place for a message of cluster `from`; NULL: it must wait. */
static struct letter *place(unsigned from)
{
    struct letter *place = NULL;
    u32 with = 0; /* bits: clusters that have a message in the pool */
    unsigned without = noc_clusters();
    for (unsigned i = 0, seen = 0; i < POOL && !(place && seen == held); i++) {
        if (!pool[i].order) {
            place = place ?: &pool[i];
            continue;
        }
        seen++;
        if (!(with >> pool[i].from_node & 1)) {
            with |= 1u << pool[i].from_node;
            without--;
        }
    }
    return !(with >> from & 1) || POOL - held > without ? place : NULL;
}

static inline bool is_wanted(const struct mailbox *b, unsigned node, unsigned port)
{
    return !b->filter || ((b->from_node == noc_clusters() || b->from_node == node) &&
                          (b->from_port == COMM_PORTS || b->from_port == port));
}

static inline void end_read(struct comm *c, struct mailbox *b)
{
    c->size = b->size;
    c->user = b->user;
    b->size = 0;
    b->filter = false;
    b->reader = NULL;
}

static inline void hand_over(struct mailbox *b, unsigned from, const struct lane_message *m)
{
    struct comm *c = b->reader;
    lane_copy(c->data, m->data, m->size);
    if (m->size < COMM_MESSAGE)
        memset(c->data + m->size, 0, COMM_MESSAGE - m->size);
    end_read(c, b);
    request_finish(&c->request, 0);
    for (unsigned i = 0, seen = 0; i < POOL && seen < held; i++) {
        seen += pool[i].order != 0;
        pool[i].late |= pool[i].from_node == from;
    }
}

static bool deliver(unsigned from, const struct lane_message *m)
{
    struct mailbox *b = at_port[m->to];
    if (b && b->reader && is_wanted(b, from, m->from)) {
        hand_over(b, from, m);
        return true;
    }
    struct letter *l = place(from);
    if (!l)
        return false;
    held++;
    l->order = ++latest ?: ++latest;
    l->from_node = (u8)from;
    l->late = false;
    l->to = m->to;
    l->from = m->from;
    lane_copy(l->data, m->data, m->size);
    if (m->size < COMM_MESSAGE)
        memset(l->data + m->size, 0, COMM_MESSAGE - m->size);
    return true;
}

static struct letter *oldest(const struct mailbox *b)
{
    struct letter *found = NULL;
    for (unsigned i = 0, seen = 0; i < POOL && seen < held; i++) {
        struct letter *l = &pool[i];
        seen += l->order != 0;
        bool fits = l->order && l->to == b->end.port && is_wanted(b, l->from_node, l->from);
        if (fits && (!found || (s32)(l->order - found->order) < 0))
            found = l;
    }
    return found;
}

s64 mailbox_create(struct request *r)
{
    const struct comm *c = comm_of(r);
    s64 id = comm_create(&table, c);
    if (id >= 0)
        at_port[c->port] = &boxes[id];
    return id;
}
s64 mailbox_open(struct request *r) { return comm_open(&table, comm_of(r)); }
s64 mailbox_port(struct request *r) { return comm_port(&table, comm_of(r)); }

static void free_box(struct mailbox *b)
{
    if (b->end.state == COMM_INPUT)
        at_port[b->end.port] = NULL;
    b->end.state = COMM_FREE;
}

s64 mailbox_close(struct request *r)
{
    struct comm *c = comm_of(r);
    struct mailbox *b = comm_find(&table, c);
    s64 err = comm_check_close(&table, c);
    if (err)
        return err;
    if (b->size || (b->end.state == COMM_INPUT && is_late(b->end.port)))
        return -EBUSY;
    free_box(b);
    return 0;
}

s64 mailbox_filter(struct request *r)
{
    struct comm *c = comm_of(r);
    struct mailbox *b = comm_find(&table, c);
    if (c->id >= COMM_MAILBOXES || c->node > noc_clusters() || c->port > COMM_PORTS)
        return -EINVAL;
    if (!b)
        return -EBADF;
    if (b->end.state != COMM_INPUT || b->filter)
        return -EFAULT;
    b->filter = true;
    b->from_node = (u8)c->node;
    b->from_port = (u8)c->port;
    return 0;
}

static inline s64 write(struct comm *c, struct mailbox *b)
{
    if (!b || b->end.state != COMM_OUTPUT)
        return -EBADF;
    if (peer_watch_lost(&b->end.watch, b->end.node))
        return -EIO;
    const struct lane_message m = {
        .kind = MESSAGE_MAIL, .to = b->end.port, .from = b->end.own, .size = (u8)c->size, .data = c->data
    };
    return peer_send(b->end.node, &m) ? request_pending(&c->request, b->end.node) : 0;
}

s64 mailbox_awrite(struct request *r)
{
    struct comm *c = comm_of(r);
    struct mailbox *b = comm_find(&table, c);
    s64 err = write(c, b);
    if (!err)
        b->wrote = true;
    return err;
}

/* A write in one request; no wait follows. */
s64 mailbox_write(struct request *r)
{
    struct comm *c = comm_of(r);
    return write(c, comm_find(&table, c));
}

static inline s64 start_read(const struct comm *c, struct mailbox *b)
{
    if (!b || b->end.state != COMM_INPUT)
        return -EBADF;
    if (b->size)
        return -EBUSY;
    b->size = c->size;
    b->user = c->user;
    return 0;
}

s64 mailbox_aread(struct request *r)
{
    const struct comm *c = comm_of(r);
    return start_read(c, comm_find(&table, c));
}

/* What a read has begun that makes a whole call (comm.type) is undone; mailbox_aread()'s stays, for the next wait. */
static bool drop(struct request *r, bool ends)
{
    struct comm *c = comm_of(r);
    struct mailbox *b = comm_find(&table, c);
    if (!b || b->reader != c)
        return true;
    b->reader = NULL;
    if (c->type)
        b->size = 0;
    return true;
}

/* Wait for a message. If the read is for one cluster only and that cluster is lost, the read ends with an error. If
 * several threads wait for one read, the first one gets it. */
static s64 wait_for(struct comm *c, struct mailbox *b)
{
    bool one = b->filter && b->from_node != noc_clusters();
    if (one)
        c->request.peer = b->from_node;
    if (one && peer_watch_lost(&b->end.watch, b->from_node)) {
        end_read(c, b);
        return -EIO;
    }
    c->request.drop = drop;
    if (!b->reader)
        b->reader = c;
    return REQUEST_PENDING;
}

/* End a read: pass its data to the caller's core, which copies them to the reader's memory. */
static s64 finish(struct comm *c, struct mailbox *b)
{
    if (!b || !(b->end.state == COMM_INPUT ? b->size : b->wrote))
        return -EBADF;
    if (b->end.state == COMM_OUTPUT) {
        b->wrote = false;
        c->size = 0;
        return 0;
    }
    struct letter *l = oldest(b);
    if (!l)
        return wait_for(c, b);
    lane_copy(c->data, l->data, COMM_MESSAGE);
    take(l);
    end_read(c, b);
    return 0;
}

s64 mailbox_wait(struct request *r)
{
    struct comm *c = comm_of(r);
    return finish(c, comm_find(&table, c));
}

/* comm.type: whether the read was started already, by an earlier try of this request. */
s64 mailbox_read(struct request *r)
{
    struct comm *c = comm_of(r);
    struct mailbox *b = comm_find(&table, c);
    s64 err = c->type ? 0 : start_read(c, b);
    c->type = !err;
    return err ? err : finish(c, b);
}

void mailbox_close_all(u16 owner)
{
    for (unsigned i = 0; i < COMM_MAILBOXES; i++) {
        struct mailbox *b = &boxes[i];
        if (b->end.state == COMM_FREE || b->end.owner != owner)
            continue;
        for (unsigned k = 0; b->end.state == COMM_INPUT && k < POOL; k++)
            if (pool[k].order && pool[k].to == b->end.port) {
                pool[k].order = 0;
                held--;
            }
        free_box(b);
    }
}

static __init_text void mailbox_init(void)
{
    static const struct peer_part part = { .deliver = deliver };
    peer_listen(MESSAGE_MAIL, &part);
}
INIT_CALL(mailbox_init);
