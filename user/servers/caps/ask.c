/* SPDX-License-Identifier: MIT */
/* ask.c - see ask.h. */
#include "ask.h"

#include <amalgam/signal.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define NODES 32u
#define RETRY 20000000ull /* ns after which a question is asked again */
/* ns of one write that waits for room. The kernel asks a cluster whether it lives when a call has waited for it for
 * half of its `patience`, which is a second unless the system file says something else. */
#define SLICE 600000000ull

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t (*draw)(void);
static void (*lost)(unsigned node);
static struct {
    bool open;
    unsigned id;
} outputs[NODES];

/* What the thread of each client waits for: answers with these nonces, of clusters whose bits are set. */
static struct question {
    uint32_t awaited;
    uint32_t gone;    /* bits: lost meanwhile */
    uint32_t changes; /* of the two */
    uint8_t op;
    uint32_t slot;
    uint64_t nonces[NODES];
    struct caps_message answer; /* the last one */
} questions[ASK_CLIENTS];

static _Thread_local bool writes;

/* The alarm may have come before the call that it is to end. */
static struct amalgam_frame *ring_again(int signal, struct amalgam_frame *frame)
{
    (void)signal;
    if (writes)
        amalgam_alarm(RETRY);
    return frame;
}

void ask_begin(uint64_t (*d)(void), void (*l)(unsigned node))
{
    draw = d;
    lost = l;
    amalgam_signal(AMALGAM_SIGALRM, ring_again);
}

void ask_lock(void) { pthread_mutex_lock(&lock); }
void ask_unlock(void) { pthread_mutex_unlock(&lock); }

static void changed(struct question *q)
{
    __atomic_fetch_add(&q->changes, 1, __ATOMIC_SEQ_CST);
    amalgam_wake(&q->changes, 1);
}

static void lose(unsigned node)
{
    lost(node);
    for (struct question *q = questions; q < questions + ASK_CLIENTS; q++)
        if (q->awaited >> node & 1) {
            q->gone |= 1u << node;
            q->awaited &= ~(1u << node);
            changed(q);
        }
}

/* From now on the cluster's loss is noticed by ask_send(). */
static int64_t open_output(unsigned node)
{
    if (outputs[node].open)
        return 0;
    int64_t id = amalgam_mailbox_open(node, CAPS_PORT);
    if (id < 0)
        return id;
    outputs[node].open = true;
    outputs[node].id = (unsigned)id;
    return 0;
}

int64_t ask_send(unsigned node, const struct caps_message *m)
{
    int64_t err = open_output(node);
    if (!err)
        err = amalgam_mailbox_try_write(outputs[node].id, m, sizeof(*m));
    if (err == -AMALGAM_EIO)
        lose(node);
    return err;
}

int64_t ask_meet(unsigned node)
{
    const struct caps_message m = { .magic = CAPS_MAGIC, .op = CAPS_NOTHING };
    int64_t err = open_output(node);
    if (!err)
        ask_send(node, &m);
    return err;
}

/* A cluster cannot answer for all that it was to tell. Anybody may say so: they are only asked in another way. */
static bool refused(struct question *q, unsigned node, const struct caps_message *m)
{
    return q->op == CAPS_ENDED && m->op == (CAPS_ENDED | CAPS_ANSWER) && m->result != CAPS_DONE && m->slot == q->slot &&
           q->awaited >> node & 1;
}

bool ask_answered(unsigned node, const struct caps_message *m)
{
    for (struct question *q = questions; node < NODES && q < questions + ASK_CLIENTS; q++)
        if (q->awaited >> node & 1 && m->nonce == q->nonces[node] && m->op == (q->op | CAPS_ANSWER)) {
            q->answer = *m;
            q->awaited &= ~(1u << node);
            if (!q->awaited) /* it would wait on otherwise */
                changed(q);
            return true;
        } else if (refused(q, node, m)) {
            q->gone |= 1u << node;
            q->awaited &= ~(1u << node);
            changed(q);
        }
    return false;
}

/* Wait, with the lock let go, until nobody is awaited any more or it is time to ask again. */
static void wait_for_answers(struct question *q)
{
    for (uint64_t again = amalgam_clock() + RETRY; q->awaited && amalgam_clock() < again;) {
        uint32_t seen = q->changes;
        ask_unlock();
        amalgam_wait(&q->changes, seen, again);
        ask_lock();
    }
}

/* Ask a cluster that has no room, and wait for room so long at most. So the kernel asks whether that cluster lives. */
static void write_for(uint64_t ns, unsigned node, const struct caps_message *m)
{
    unsigned id = outputs[node].id;
    ask_unlock();
    writes = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    amalgam_alarm(ns);
    int64_t err = amalgam_mailbox_write(id, m, sizeof(*m));
    writes = false;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    amalgam_alarm(0);
    ask_lock();
    if (err == -AMALGAM_EIO)
        lose(node);
}

/* Ask all that have not answered. Returns (bits) those that have no room. */
static uint32_t send_all(const struct question *q, struct caps_message *m)
{
    uint32_t full = 0;
    for (unsigned n = 0; n < NODES; n++)
        if (q->awaited >> n & 1) {
            m->nonce = q->nonces[n];
            if (ask_send(n, m) == -AMALGAM_EAGAIN && outputs[n].open)
                full |= 1u << n;
        }
    return full;
}

/* Ask clusters (bits) the same. Returns those that have not answered and were not lost. Those without room are waited
 * for in turn, so none of them keeps the others from being asked again. */
static uint32_t ask(struct question *q, uint32_t nodes, struct caps_message *m, uint64_t limit)
{
    uint64_t now = amalgam_clock(), end = now + limit;
    unsigned turn = 0;
    q->awaited = nodes;
    q->op = m->op;
    q->gone = 0;
    for (unsigned n = 0; n < NODES; n++)
        if (nodes >> n & 1) {
            m->nonce = q->nonces[n] = draw();
            ask_send(n, m);
        }
    for (uint32_t full = 0; q->awaited && (now = amalgam_clock()) < end; full = send_all(q, m)) {
        if (full) {
            while (!(full >> turn & 1))
                turn = (turn + 1) % NODES;
            m->nonce = q->nonces[turn];
            write_for(end - now < SLICE ? end - now : SLICE, turn, m);
            turn = (turn + 1) % NODES;
        }
        wait_for_answers(q);
    }
    uint32_t silent = q->awaited;
    q->awaited = 0;
    return silent;
}

int64_t ask_part(unsigned client, unsigned node, struct caps_message *m, uint64_t end)
{
    struct question *q = &questions[client];
    uint64_t now = amalgam_clock(), left = end > now ? end - now : 0;
    uint32_t silent = ask(q, 1u << node, m, left < ASK_LIMIT ? left : ASK_LIMIT);
    int64_t err = q->gone >> node & 1 ? -AMALGAM_EIO : silent ? -AMALGAM_ETIMEDOUT : 0;
    *m = q->answer;
    return err;
}

uint32_t ask_revoked(unsigned client, uint32_t slot, uint32_t generation, uint64_t seal, uint32_t nodes)
{
    struct caps_message m = {
        .magic = CAPS_MAGIC, .op = CAPS_REVOKED, .slot = slot, .generation = generation, .seal = seal
    };
    return ask(&questions[client], nodes, &m, ASK_LIMIT);
}

/* How many clusters the next one that is asked tells, of `left` others. Who is asked first has most time. */
static unsigned children_of(unsigned left)
{
    return left > 18 ? 5 : left > 13 ? 4 : left > 8 ? 3 : left > 4 ? 2 : left > 2;
}

static unsigned take_first(uint32_t *nodes)
{
    unsigned first = 0;
    while (!(*nodes >> first & 1))
        first++;
    *nodes &= *nodes - 1;
    return first;
}

uint32_t ask_ended(unsigned client, unsigned self, uint32_t slot, uint32_t generation, const uint64_t *tokens,
                   const uint64_t *proofs, uint32_t nodes)
{
    struct question *q = &questions[client];
    uint32_t groups[NODES], open = 0; /* by who is asked: bits, for whom it answers */
    q->awaited = q->gone = 0;
    q->op = CAPS_ENDED;
    q->slot = slot;
    for (uint32_t left = nodes; left;) {
        unsigned node = take_first(&left);
        struct caps_message m = { .magic = CAPS_MAGIC,
                                  .op = CAPS_ENDED,
                                  .part = (uint8_t)self,
                                  .children = (uint8_t)children_of((unsigned)__builtin_popcount(left)),
                                  .slot = slot,
                                  .generation = generation,
                                  .key = tokens[node] };
        groups[node] = 1u << node;
        q->nonces[node] = proofs[node];
        for (unsigned i = 0; i < m.children; i++) {
            struct caps_child child = { .node = take_first(&left) };
            child.token = tokens[child.node];
            memcpy(m.data + i * sizeof(child), &child, sizeof(child));
            groups[node] |= 1u << child.node;
            q->nonces[node] ^= proofs[child.node];
        }
        if (!ask_send(node, &m)) {
            q->awaited |= 1u << node;
            open |= groups[node];
        }
    }
    wait_for_answers(q);
    uint32_t rest = nodes & ~open;
    for (uint32_t silent = (q->awaited | q->gone) & open; silent;) {
        unsigned node = take_first(&silent);
        rest |= groups[node];
    }
    q->awaited = 0;
    return rest;
}
