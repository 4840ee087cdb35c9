/* SPDX-License-Identifier: MIT */
/* ask.c - see ask.h. */
#include "ask.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define NODES 32u
#define RETRY 20000000ull /* ns after which a question is asked again */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, asking = PTHREAD_MUTEX_INITIALIZER;
static uint64_t (*draw)(void);
static void (*lost)(unsigned node);
static struct {
    bool open;
    unsigned id;
} outputs[NODES];

/* What the asking thread waits for: answers with these nonces, of clusters whose bits are set. */
static uint32_t awaited;
static uint8_t awaited_op;
static uint64_t nonces[NODES];
static struct caps_message answer; /* the last one */
static uint32_t gone;              /* bits: lost meanwhile */
static uint32_t changes;           /* of the two */

void ask_begin(uint64_t (*d)(void), void (*l)(unsigned node))
{
    draw = d;
    lost = l;
}

void ask_lock(void) { pthread_mutex_lock(&lock); }
void ask_unlock(void) { pthread_mutex_unlock(&lock); }

static void changed(void)
{
    __atomic_fetch_add(&changes, 1, __ATOMIC_SEQ_CST);
    amalgam_wake(&changes, 1);
}

static void lose(unsigned node)
{
    gone |= 1u << node;
    awaited &= ~(1u << node);
    lost(node);
    changed();
}

int64_t ask_open(unsigned node)
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
    int64_t err = ask_open(node);
    if (!err)
        err = amalgam_mailbox_try_write(outputs[node].id, m, sizeof(*m));
    if (err == -AMALGAM_EIO)
        lose(node);
    return err;
}

void ask_answered(unsigned node, const struct caps_message *m)
{
    if (node >= NODES || !(awaited >> node & 1) || m->nonce != nonces[node] || m->op != (awaited_op | CAPS_ANSWER))
        return;
    answer = *m;
    awaited &= ~(1u << node);
    if (!awaited) /* it would wait on otherwise */
        changed();
}

/* Wait for a change, with the lock let go. */
static void wait_until(uint64_t deadline)
{
    uint32_t seen = changes;
    ask_unlock();
    amalgam_wait(&changes, seen, deadline);
    ask_lock();
}

/* The same question once more to a cluster that has not answered. This waits where there is no room: so the kernel asks
 * whether the cluster lives. A cluster that says that it is slow ends that by the alarm. */
static void send_again(unsigned node, const struct caps_message *m, uint64_t end)
{
    unsigned id = outputs[node].id;
    uint64_t now = amalgam_clock();
    if (!outputs[node].open || now >= end)
        return;
    ask_unlock();
    amalgam_alarm(end - now);
    int64_t err = amalgam_mailbox_write(id, m, sizeof(*m));
    amalgam_alarm(0);
    ask_lock();
    if (err == -AMALGAM_EIO)
        lose(node);
}

/* With the lock, which is let go for the other one. */
static void begin_asking(void)
{
    ask_unlock();
    pthread_mutex_lock(&asking);
    ask_lock();
}

/* Ask clusters (bits) the same. Returns those that have not answered and were not lost. */
static uint32_t ask(uint32_t nodes, struct caps_message *m)
{
    uint64_t end = amalgam_clock() + ASK_LIMIT;
    awaited = nodes;
    awaited_op = m->op;
    gone = 0;
    for (unsigned n = 0; n < NODES; n++)
        if (nodes >> n & 1) {
            m->nonce = nonces[n] = draw();
            ask_send(n, m);
        }
    for (uint64_t now; awaited && (now = amalgam_clock()) < end;) {
        uint64_t again = now + RETRY;
        while (awaited && amalgam_clock() < again)
            wait_until(again);
        for (unsigned n = 0; n < NODES; n++)
            if (awaited >> n & 1) {
                m->nonce = nonces[n];
                send_again(n, m, end);
            }
    }
    uint32_t silent = awaited;
    awaited = 0;
    return silent;
}

int64_t ask_part(unsigned node, struct caps_message *m)
{
    begin_asking();
    uint32_t silent = ask(1u << node, m);
    int64_t err = gone >> node & 1 ? -AMALGAM_EIO : silent ? -AMALGAM_ETIMEDOUT : 0;
    *m = answer;
    pthread_mutex_unlock(&asking);
    return err;
}

int64_t ask_revoked(uint32_t slot, uint32_t generation, uint32_t nodes)
{
    struct caps_message m = { .magic = CAPS_MAGIC, .op = CAPS_REVOKED, .slot = slot, .generation = generation };
    begin_asking();
    int64_t silent = __builtin_popcount(ask(nodes, &m));
    pthread_mutex_unlock(&asking);
    return silent;
}
