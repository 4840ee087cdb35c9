/* SPDX-License-Identifier: MIT */
/*
 * main.c - the page server of a cluster (docs/servers.md).
 *   caps CLIENTS [dies=N]
 * Its first so many channels are its clients'. The main thread answers other clusters' page servers and never waits for
 * them. A thread for each client does what that asks for, and waits for other clusters where it has to (clients.h).
 * dies=N: it faults after N messages of its life and one more in each, but fewer than 2N, and says what the last one
 * was: for tests, where what it is told repeats with its lives.
 */
#include <amalgam/handle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../arguments.h"
#include "../requests.h"
#include "ahead.h"
#include "ask.h"
#include "clients.h"
#include "relay.h"

static _Alignas(CAPS_PAGE) unsigned char memory[HOMES + COPIES][CAPS_PAGE];
static struct homes homes;
static struct copies copies;
static struct relays relays;

/* Nobody of this cluster shows them when this returns. */
static void hide(struct copy *const *copy, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        amalgam_handle_close(copy[i]->handle);
}

static void lose(unsigned node)
{
    struct copy *shown[COPIES];
    homes_lost(&homes, node);
    hide(shown, copies_lost(&copies, node, shown));
}

/* Other clusters */

static void end_copies(unsigned node, const struct caps_message *m, const uint64_t *seal)
{
    struct copy *shown[COPIES];
    hide(shown, copies_revoked(&copies, node, m->slot, m->generation, seal, shown));
}

static void be_told(unsigned node, struct caps_message *m)
{
    end_copies(node, m, &m->seal);
    m->op |= CAPS_ANSWER;
    memset(m->data, 0, sizeof(m->data));
    ask_send(node, m);
}

/* What an answer says besides what was asked. */
static void heed(unsigned node, const struct caps_message *m)
{
    if (m->result == CAPS_STALE)
        end_copies(node, m, NULL); /* it, or one like it, may be shown: its end was not heard of */
    else if (m->op == (CAPS_READ_PART | CAPS_ANSWER) && m->result == CAPS_DONE)
        copies_sealed(&copies, node, m);
}

/* Its home says so, or who was told by it: the children hear of it first, and unmap meanwhile. */
static void be_ended(unsigned node, const struct caps_message *m)
{
    struct copy *shown[COPIES];
    struct caps_message answer;
    uint64_t proof;
    bool right = copies_prove(&copies, m->part, m->slot, m->key, &proof) && relay_begin(&relays, node, m, proof);
    for (unsigned i = 0, child; right && i < m->children; i++) {
        const struct caps_message question = relay_question(m, i, &child);
        right = !ask_send(child, &question);
    }
    if (right)
        hide(shown, copies_ended(&copies, m->part, m->slot, m->key, shown));
    if (relay_end(&relays, node, m, right, &answer))
        ask_send(node, &answer);
}

static void pass_on(unsigned node, const struct caps_message *m)
{
    struct caps_message answer;
    unsigned asker = relay_answered(&relays, node, m, &answer);
    if (asker != HOMES_CLUSTERS)
        ask_send(asker, &answer);
}

static void serve(unsigned node, struct caps_message *m)
{
    if (m->magic != CAPS_MAGIC)
        return;
    if (m->op & CAPS_ANSWER) {
        if (ask_answered(node, m))
            heed(node, m);
        else if (m->op == (CAPS_ENDED | CAPS_ANSWER))
            pass_on(node, m);
    } else if (m->op == CAPS_REVOKED) {
        be_told(node, m);
    } else if (m->op == CAPS_ENDED) {
        be_ended(node, m);
    } else if (homes_answer(&homes, node, m) && ask_send(node, m)) {
        homes_put_back(&homes, m);
    }
}

/* Serve until `most` messages have come, if it is not 0, or the mailbox fails. */
static void serve_all(unsigned in, unsigned long most)
{
    union {
        struct caps_message message;
        unsigned char bytes[REQUESTS_BYTES];
    } m;
    int from;
    for (unsigned long n = 0; (from = requests_receive("caps", in, &m)) >= 0;) {
        unsigned op = m.message.op, children = m.message.children;
        ask_lock();
        serve((unsigned)from, &m.message);
        if (++n == most) {
            printf("caps: ends at %u with %u children\n", op, children);
            fflush(stdout);
            __builtin_trap();
        }
        ask_unlock();
    }
}

int main(int argc, char **argv)
{
    int64_t node = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE),
            nodes = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODES);
    unsigned long clients = argc == 2 || argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
    unsigned dies = argc == 3 ? arguments_number(argv[2], "dies=", UINT32_MAX) : 0;
    int64_t in = node < 0 ? node : amalgam_mailbox_create((unsigned)node, CAPS_PORT);
    if (in < 0 || !clients || clients > ASK_CLIENTS || (argc == 3 && !dies)) {
        printf("caps: %s\n", in < 0 ? "no mailbox at its port" : "caps CLIENTS [dies=N]: 1 to 8");
        return 1;
    }
    homes_begin(&homes, (unsigned)node, (unsigned)nodes, (unsigned)clients, memory[0], ahead_draw);
    copies_begin(&copies, (unsigned)clients, memory[HOMES]);
    relays.self = (unsigned)node;
    relays.clusters = (unsigned)nodes;
    ask_begin(ahead_draw, lose);
    ahead_fill();
    clients_begin(&homes, &copies);
    printf("caps: serves %lu clients at port %d of cluster %d\n", clients, CAPS_PORT, (int)node);
    fflush(stdout);
    serve_all((unsigned)in,
              dies ? dies + (unsigned long)amalgam_cluster_info(AMALGAM_CLUSTER_INFO_PROCESS_LIFE) % dies : 0);
    __builtin_trap();
}
