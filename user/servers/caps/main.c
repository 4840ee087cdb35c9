/* SPDX-License-Identifier: MIT */
/*
 * main.c - the page server of a cluster (docs/servers.md).
 *   caps CLIENTS
 * Its first so many channels are its clients'. The main thread answers other clusters' page servers and never waits for
 * them. A thread for each client does what that asks for, and waits for other clusters where it has to (clients.h).
 */
#include <amalgam/handle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int main(int argc, char **argv)
{
    int64_t node = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE),
            nodes = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODES);
    unsigned long clients = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    int64_t in = node < 0 ? node : amalgam_mailbox_create((unsigned)node, CAPS_PORT);
    if (in < 0 || !clients || clients > ASK_CLIENTS) {
        printf("caps: %s\n", in < 0 ? "no mailbox at its port" : "caps CLIENTS: 1 to 8");
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
    union {
        struct caps_message message;
        unsigned char bytes[REQUESTS_BYTES];
    } m;
    for (int from; (from = requests_receive("caps", (unsigned)in, &m)) >= 0;) {
        ask_lock();
        serve((unsigned)from, &m.message);
        ask_unlock();
    }
    __builtin_trap();
}
