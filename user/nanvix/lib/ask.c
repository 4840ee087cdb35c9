/* SPDX-License-Identifier: MIT */
/*
 * ask.c - see ask.h. The answer has to come from the server's cluster, as the kernel says, and to repeat a number that
 * nobody else has seen. A server that does not answer in time is not asked for a while, so that the others' answers do
 * not wait for it.
 */
#include "ask.h"

#include <amalgam/clusters.h>
#include <nanvix/runtime/pm/mailbox.h>
#include <nanvix/sys/noc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "../../lib/fastclock.h"
#include "nanvix.h"

#define REST_NS 250000000ull

static uint32_t lock;
static bool begun;
static unsigned in, port;
static uint32_t nonce;

uint64_t ask_random(void)
{
    uint64_t drawn;
    return getentropy(&drawn, sizeof(drawn)) ? amalgam_clock() : drawn;
}

/* Ports from NANVIX_GENERAL_PORTS_BASE on are programs'. */
static int begin(void)
{
    int64_t id = -AMALGAM_EBUSY;
    unsigned node = (unsigned)knode_get_num();
    for (port = NANVIX_GENERAL_PORTS_BASE; id == -AMALGAM_EBUSY && port-- > 0;)
        id = amalgam_mailbox_create(node, port);
    if (id < 0)
        return (int)nanvix_result(id);
    in = (unsigned)id;
    nonce = (uint32_t)ask_random();
    begun = true;
    return 0;
}

int ask_begin(void)
{
    nanvix_lock_take(&lock);
    int error = begun ? 0 : begin();
    nanvix_lock_drop(&lock);
    return error;
}

unsigned ask_list(const char *name, const char *usual, struct ask_server *s, unsigned at_port, unsigned most)
{
    const char *list = getenv(name);
    char *end;
    unsigned n = 0;
    for (const char *at = list ? list : usual; n < most; at = end + 1) {
        s[n++] = (struct ask_server){ .node = (int)strtoul(at, &end, 10), .port = at_port };
        if (end == at || *end != ',')
            return end == at || *end ? 0 : n;
    }
    return 0;
}

void ask_close(struct ask_server *s)
{
    if (s->out > 0)
        amalgam_mailbox_close((unsigned)s->out - 1, AMALGAM_MAILBOX_CLOSE_CLOSE);
    s->out = 0;
}

/* Returns 0 or an error of the kernel. */
static int64_t send(struct ask_server *s, const void *message, size_t size, uint64_t until)
{
    if (s->out <= 0)
        s->out = (int)amalgam_mailbox_open((unsigned)s->node, s->port) + 1;
    int64_t result = s->out - 1;
    if (result >= 0) {
        unsigned id = (unsigned)result;
        do
            result = amalgam_mailbox_write(id, message, size);
        while (result == -AMALGAM_EINTR && fastclock() < until);
    }
    if (result == -AMALGAM_EIO)
        ask_close(s); /* the next question is for the cluster's next life */
    return result;
}

/* Wait for the answer. A signal, that of nanvix_patience() too, ends a read. Returns false: it does not come. */
static bool await(const struct ask_server *s, void *answer, uint32_t magic, uint32_t asked, uint64_t until)
{
    const struct ask_head *head = answer;
    do {
        int64_t from = amalgam_mailbox_receive(in, answer, ASK_MESSAGE);
        if (from < 0 && from != -AMALGAM_EINTR)
            return false;
        if (from >= 0 && from >> 8 == s->node && head->magic == magic && head->nonce == asked)
            return true;
    } while (fastclock() < until);
    return false;
}

/* Send `size` bytes, and wait for the answer, which goes to `answer`. */
static inline bool exchange(struct ask_server *s, void *question, size_t size, void *answer, uint64_t ns)
{
    struct ask_head *head = question;
    nanvix_lock_take(&lock);
    uint64_t now = fastclock();
    bool answered = false;
    if (now >= s->rests_until) {
        uint32_t magic = head->magic, asked = ++nonce;
        head->reply_port = (uint8_t)port;
        head->nonce = asked;
        nanvix_patience(ns);
        answered = !send(s, question, size, now + ns) && await(s, answer, magic, asked, now + ns);
        nanvix_patience(0);
        s->rests_until = answered ? 0 : fastclock() + REST_NS;
    }
    nanvix_lock_drop(&lock);
    return answered;
}

bool ask_in_place(struct ask_server *s, void *room, uint64_t ns) { return exchange(s, room, ASK_MESSAGE, room, ns); }

bool ask(struct ask_server *s, void *message, size_t size)
{
    uint64_t answer[ASK_MESSAGE / sizeof(uint64_t)];
    bool answered = exchange(s, message, size, answer, ASK_PATIENCE_NS);
    if (answered)
        memcpy(message, answer, size);
    return answered;
}

bool ask_send(struct ask_server *s, void *message, size_t size)
{
    nanvix_lock_take(&lock);
    uint64_t until = fastclock() + ASK_PATIENCE_NS;
    nanvix_patience(ASK_PATIENCE_NS);
    bool sent = !send(s, message, size, until);
    nanvix_patience(0);
    nanvix_lock_drop(&lock);
    return sent;
}
