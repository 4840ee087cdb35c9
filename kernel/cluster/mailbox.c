/* SPDX-License-Identifier: MIT */
/*
 * mailbox.c - messages of up to 128 bytes to a port of a cluster.
 *
 * Messages for this cluster lie in a pool until they are read, also those that come before their mailbox exists. Each
 * sending cluster may always have one there, the rest of the pool is for who comes. One for which there is no place
 * stays in its lane, and what its sender sends to this cluster later waits behind it; other senders do not.
 */
#include <core/init.h>
#include <errors.h>
#include <string.h>

#include "end.h"

#define POOL (NOC_CLUSTERS + 16u)

static struct mailbox {
    struct comm_end end;
    u16 size;    /* of the read that was started; 0: none was */
    bool wrote;  /* a write was started */
    bool filter; /* the next read takes messages of from_node, from_port only */
    u8 from_node, from_port;
    u64 user;
} boxes[COMM_MAILBOXES];
static const struct comm_table table = { boxes, sizeof(boxes[0]), COMM_MAILBOXES };

static struct letter {
    u32 order; /* 0: free; smaller is older */
    u8 from_node;
    bool late; /* a message that its cluster sent later has been read */
    struct lane_message m;
} pool[POOL];
static u32 latest;
static unsigned held; /* of them: the first free one is filled, so that whoever has seen all need not look further */

/* Whether a message waits that was passed by one which was read, as in Nanvix, where a cluster's come one after the
 * other. One that comes too early is for the next mailbox at its port. */
static bool is_late(unsigned port)
{
    for (unsigned i = 0; i < POOL; i++)
        if (pool[i].order && pool[i].late && pool[i].m.to == port)
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

/* Where a message of cluster `from` may go; NULL: it must wait. */
static struct letter *place(unsigned from)
{
    struct letter *place = NULL;
    u32 with = 0; /* who has one */
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

static bool deliver(unsigned from, const struct lane_message *m)
{
    struct letter *l = place(from);
    if (!l)
        return false;
    held++;
    l->order = ++latest ?: ++latest;
    l->from_node = (u8)from;
    l->late = false;
    l->m = *m;
    return true;
}

static struct letter *oldest(const struct mailbox *b)
{
    struct letter *found = NULL;
    for (unsigned i = 0, seen = 0; i < POOL && seen < held; i++) {
        struct letter *l = &pool[i];
        seen += l->order != 0;
        bool fits = l->order && l->m.to == b->end.port &&
                    (!b->filter || ((b->from_node == noc_clusters() || b->from_node == l->from_node) &&
                                    (b->from_port == COMM_PORTS || b->from_port == l->m.from)));
        if (fits && (!found || (s32)(l->order - found->order) < 0))
            found = l;
    }
    return found;
}

s64 mailbox_create(struct request *r) { return comm_create(&table, comm_of(r)); }
s64 mailbox_open(struct request *r) { return comm_open(&table, comm_of(r)); }
s64 mailbox_port(struct request *r) { return comm_port(&table, comm_of(r)); }

s64 mailbox_close(struct request *r)
{
    struct comm *c = comm_of(r);
    struct mailbox *b = comm_find(&table, c);
    s64 err = comm_check_close(&table, c);
    if (err)
        return err;
    if (b->size || (b->end.state == COMM_INPUT && is_late(b->end.port)))
        return -EBUSY;
    b->end.state = COMM_FREE;
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

s64 mailbox_awrite(struct request *r)
{
    struct comm *c = comm_of(r);
    struct mailbox *b = comm_find(&table, c);
    if (!b || b->end.state != COMM_OUTPUT)
        return -EBADF;
    if (peer_watch_lost(&b->end.watch, b->end.node))
        return -EIO;
    struct lane_message m; /* not cleared: what is behind `size` is not sent */
    m.kind = MESSAGE_MAIL;
    m.to = b->end.port;
    m.from = b->end.own;
    m.size = (u8)c->size;
    memcpy(m.data, c->data, c->size);
    if (peer_send(b->end.node, &m))
        return request_pending(r, b->end.node);
    b->wrote = true;
    return 0;
}

s64 mailbox_aread(struct request *r)
{
    struct comm *c = comm_of(r);
    struct mailbox *b = comm_find(&table, c);
    if (!b || b->end.state != COMM_INPUT)
        return -EBADF;
    if (b->size)
        return -EBUSY;
    b->size = c->size;
    b->user = c->user;
    return 0;
}

/* Who reads from one cluster only is told if that one is lost; the read is over then. */
static s64 wait_for(struct request *r, struct mailbox *b)
{
    if (!b->filter || b->from_node == noc_clusters())
        return REQUEST_PENDING;
    r->peer = b->from_node;
    if (!peer_watch_lost(&b->end.watch, b->from_node))
        return REQUEST_PENDING;
    b->size = 0;
    b->filter = false;
    return -EIO;
}

/* A read's data go to the caller's core, which puts them where the reader wants them. */
s64 mailbox_wait(struct request *r)
{
    struct comm *c = comm_of(r);
    struct mailbox *b = comm_find(&table, c);
    if (!b || !(b->end.state == COMM_INPUT ? b->size : b->wrote))
        return -EBADF;
    if (b->end.state == COMM_OUTPUT) {
        b->wrote = false;
        c->size = 0;
        return 0;
    }
    struct letter *l = oldest(b);
    if (!l)
        return wait_for(r, b);
    memcpy(c->data, l->m.data, l->m.size);
    memset((u8 *)c->data + l->m.size, 0, COMM_MESSAGE - l->m.size);
    c->size = b->size;
    c->user = b->user;
    take(l);
    b->size = 0;
    b->filter = false;
    return 0;
}

s64 mailbox_write(struct request *r)
{
    struct mailbox *b = comm_find(&table, comm_of(r));
    bool before = b && b->wrote;
    s64 err = mailbox_awrite(r);
    if (!err)
        b->wrote = before;
    return err;
}

/* comm.type: it was started. */
s64 mailbox_read(struct request *r)
{
    struct comm *c = comm_of(r);
    s64 err = c->type ? 0 : mailbox_aread(r);
    if (err)
        return err;
    c->type = true;
    return mailbox_wait(r);
}

void mailbox_close_all(u16 owner)
{
    for (unsigned i = 0; i < COMM_MAILBOXES; i++) {
        struct mailbox *b = &boxes[i];
        if (b->end.state == COMM_FREE || b->end.owner != owner)
            continue;
        for (unsigned k = 0; b->end.state == COMM_INPUT && k < POOL; k++)
            if (pool[k].order && pool[k].m.to == b->end.port) {
                pool[k].order = 0;
                held--;
            }
        b->end.state = COMM_FREE;
    }
}

static __init_text void mailbox_init(void)
{
    static const struct peer_part part = { .deliver = deliver };
    peer_listen(MESSAGE_MAIL, &part);
}
INIT_CALL(mailbox_init);
