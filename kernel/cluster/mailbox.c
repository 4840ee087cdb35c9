/* SPDX-License-Identifier: MIT */
/*
 * mailbox.c - messages of up to 128 bytes to a port of a cluster.
 *
 * Messages for this cluster are kept until they are read, also those that come before their mailbox exists (letters.c).
 * If a reader waits for a message it is copied to the reader directly; a reader only waits if none is kept for it.
 */
#include <core/init.h>
#include <errors.h>

#include "end.h"
#include "letters.h"

static struct mailbox {
    struct comm_end end;
    u16 size;                    /* bytes of the read that was started; 0: none was */
    bool wrote;                  /* a write was started */
    struct letter_filter filter; /* what the next read takes */
    u64 user;
    struct comm *reader; /* the read that waits for a message; NULL: none */
} boxes[COMM_MAILBOXES];
static const struct comm_table table = { boxes, sizeof(boxes[0]), COMM_MAILBOXES };
static struct mailbox *at_port[COMM_PORTS]; /* the mailbox that receives there */

static inline void end_read(struct comm *c, struct mailbox *b)
{
    c->size = b->size;
    c->user = b->user;
    b->size = 0;
    b->filter.on = false;
    b->reader = NULL;
}

/* Returns whether the next read is of one sender. */
static inline bool names_one(const struct letter_filter *f)
{
    return f->on && f->node != noc_clusters() && f->port != COMM_PORTS;
}

static inline bool takes_all(const struct letter_filter *f)
{
    return f->node == noc_clusters() && f->port == COMM_PORTS;
}

/* A read with a filter is over, whose message the process `of` of cluster `from` has sent from `port`. */
static inline void tell(struct comm *c, struct mailbox *b, unsigned from, unsigned port, u32 of)
{
    if (names_one(&b->filter))
        b->end.of = of == LETTER_FORMER ? 0 : of;
    c->node = (u16)from;
    c->port = (u16)port;
}

/* The same out of line, for who would keep more registers. */
static __cold __noinline void tell_reader(struct mailbox *b, unsigned from, const struct lane_message *m)
{
    tell(b->reader, b, from, m->from, m->of);
}

static inline void hand_over(struct mailbox *b, unsigned from, const struct lane_message *m)
{
    struct comm *c = b->reader;
    if (!letter_copy(c->data, m))
        return;
    if (unlikely(b->filter.on))
        tell_reader(b, from, m);
    end_read(c, b);
    request_finish(&c->request, 0);
    letters_overtaken(from);
}

static bool letter_deliver(unsigned from, const struct lane_message *m)
{
    struct mailbox *b = at_port[m->to];
    if (b && b->reader && letter_is_wanted(&b->filter, from, m->from, m->of)) {
        hand_over(b, from, m);
        return true;
    }
    bool kept = letters_keep(from, m);
    if (!kept && b)
        peer_wait_for_reader();
    return kept;
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
    if (b->size || (b->end.state == COMM_INPUT && letters_late(b->end.port)))
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
    if (b->end.state != COMM_INPUT || b->filter.on)
        return -EFAULT;
    b->filter.on = true;
    b->filter.node = (u8)c->node;
    b->filter.port = (u8)c->port;
    b->filter.of = 0;
    if (names_one(&b->filter)) {
        comm_name_sender(&b->end, c->node, c->port);
        b->filter.of = b->end.of;
    }
    return 0;
}

static inline s64 write(struct comm *c, struct mailbox *b)
{
    if (!b || b->end.state != COMM_OUTPUT)
        return -EBADF;
    if (peer_watch_lost(&b->end.watch, b->end.node))
        return -EIO;
    const struct lane_message m = { .kind = MESSAGE_MAIL,
                                    .to = b->end.port,
                                    .from = b->end.own,
                                    .size = (u8)c->size,
                                    .of = b->end.of,
                                    .data = c->data };
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

/* The same, but what would wait for room ends. */
s64 mailbox_try_write(struct request *r)
{
    s64 err = mailbox_write(r);
    return err == REQUEST_PENDING ? -EAGAIN : err;
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
    if (c->type) {
        b->size = 0;
        if (takes_all(&b->filter))
            b->filter.on = false;
    }
    return true;
}

/* Wait for a message. If the read is for one cluster only and that cluster is lost, the read ends with an error. If
 * several threads wait for one read, the first one gets it. */
static s64 wait_for(struct comm *c, struct mailbox *b)
{
    bool one = b->filter.on && b->filter.node != noc_clusters();
    if (one)
        c->request.peers = 1u << b->filter.node;
    if (one && peer_watch_lost(&b->end.watch, b->filter.node)) {
        end_read(c, b);
        return -EIO;
    }
    if (b->filter.on && b->filter.of && comm_has_left(&b->end)) {
        b->end.of = 0;
        end_read(c, b);
        return -EIO;
    }
    c->request.drop = drop;
    if (b->reader)
        return REQUEST_PENDING;
    b->reader = c;
    if (unlikely(peers_held()))
        request_again(); /* what it waits for may be among them */
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
    struct letter *l = letters_oldest(b->end.port, &b->filter);
    if (!l)
        return wait_for(c, b);
    lane_copy(c->data, l->data, COMM_MESSAGE);
    if (unlikely(b->filter.on))
        tell(c, b, l->from_node, l->from, l->of);
    letters_take(l);
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

/* A read without a filter gets one that takes all, because only such a read is told its sender. */
s64 mailbox_receive(struct request *r)
{
    struct mailbox *b = comm_find(&table, comm_of(r));
    if (b && b->end.state == COMM_INPUT && !b->size && !b->filter.on)
        b->filter = (struct letter_filter){ .on = true, .node = (u8)noc_clusters(), .port = COMM_PORTS };
    return mailbox_read(r);
}

void mailbox_close_all(u16 owner)
{
    for (unsigned i = 0; i < COMM_MAILBOXES; i++) {
        struct mailbox *b = &boxes[i];
        if (b->end.state == COMM_FREE || b->end.owner != owner)
            continue;
        if (b->end.state == COMM_INPUT)
            letters_drop(b->end.port);
        free_box(b);
    }
}

static __cold void lose(unsigned node)
{
    comm_lose(&table, node);
    letters_lose(node);
}

static __init_text void mailbox_init(void)
{
    static const struct peer_part part = { .deliver = letter_deliver, .lost = lose };
    peer_listen(MESSAGE_MAIL, &part);
    comm_add(&table);
}
INIT_CALL(mailbox_init);
