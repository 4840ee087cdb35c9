/* SPDX-License-Identifier: MIT */
/*
 * main.c - the page server of a cluster (docs/servers.md).
 *   caps CLIENTS
 * Its first so many channels are its clients'. The main thread answers other clusters' page servers and never waits for
 * them. A thread for each client does what that asks for, and waits for other clusters where it has to (ask.h).
 */
#include <amalgam/handle.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "../requests.h"
#include "ask.h"
#include "copies.h"
#include "homes.h"

#define CLIENTS    ASK_CLIENTS
#define FIRST_COPY 16u             /* ids of copies */
#define COPY_LIMIT (4 * ASK_LIMIT) /* for all parts of one */

static _Alignas(CAPS_PAGE) unsigned char memory[HOMES + COPIES][CAPS_PAGE];
static struct homes homes;
static struct copies copies;
static uint32_t home_handle[HOMES];
static struct {
    uint32_t life;
    uint32_t done; /* number of the last request */
} served[CLIENTS];

static uint64_t draw(void)
{
    uint64_t drawn;
    return getentropy(&drawn, sizeof(drawn)) ? amalgam_clock() * 0x9e3779b97f4a7c15u : drawn;
}

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
        copies_sealed(&copies, node, m->slot, m->generation, m->seal);
}

static void serve(unsigned node, struct caps_message *m)
{
    struct caps_message answer = *m;
    if (m->magic != CAPS_MAGIC)
        return;
    if (m->op & CAPS_ANSWER) {
        if (ask_answered(node, m))
            heed(node, m);
    } else if (m->op == CAPS_REVOKED) {
        be_told(node, m);
    } else if (homes_answer(&homes, node, &answer) && ask_send(node, &answer)) {
        homes_put_back(&homes, &answer);
    }
}

/* Clients */

/* Give a client a handle of a page. Returns the server's own, or an error. */
static int64_t show(unsigned client, void *page, bool writes)
{
    int64_t handle = amalgam_handle_memory(page, CAPS_PAGE, writes);
    int64_t err = handle < 0 ? handle
                             : amalgam_handle_send(client, (unsigned)handle,
                                                   AMALGAM_HANDLE_READ | (writes ? AMALGAM_HANDLE_WRITE : 0));
    if (handle >= 0 && err)
        amalgam_handle_close((unsigned)handle);
    return err ? err : handle;
}

static int64_t create(unsigned client)
{
    int slot = homes_create(&homes, client);
    if (slot < 0)
        return slot;
    int64_t handle = show(client, homes.home[slot].memory, true);
    if (handle < 0) {
        homes_free(&homes, (uint32_t)slot);
        return handle;
    }
    home_handle[slot] = (uint32_t)handle;
    return slot;
}

/* Returns how many clusters neither answered nor were lost. */
static int64_t revoke(unsigned client, uint32_t slot, bool frees)
{
    uint32_t told;
    int64_t result = homes_revoke(&homes, client, slot, &told);
    if (result)
        return result;
    if (told)
        result = __builtin_popcount(homes_told(
            &homes, slot, ask_revoked(client, slot, homes.home[slot].generation, homes.home[slot].seal, told)));
    if (frees) {
        amalgam_handle_close(home_handle[slot]);
        homes_free(&homes, slot);
    }
    return result;
}

/* Get or send each part of a copy. Its record is this client's until that frees it. */
static int64_t all_parts(struct copy *p, enum caps_op op)
{
    uint64_t until = amalgam_clock() + COPY_LIMIT;
    for (unsigned part = 0; part < CAPS_PARTS; part++) {
        struct caps_message m = { .magic = CAPS_MAGIC,
                                  .op = (uint8_t)op,
                                  .part = (uint8_t)part,
                                  .slot = p->cap.slot,
                                  .generation = p->cap.generation,
                                  .key = p->cap.key };
        size_t at = part * CAPS_PART, n = CAPS_PAGE - at < CAPS_PART ? CAPS_PAGE - at : CAPS_PART;
        if (op == CAPS_WRITE_PART)
            memcpy(m.data, p->memory + at, n);
        int64_t err = ask_part(p->client, p->cap.home, &m, until);
        if (err || p->state == COPY_ENDED)
            return err ? err : -AMALGAM_ESTALE;
        if (m.result != CAPS_DONE)
            return m.result == CAPS_STALE     ? -AMALGAM_ESTALE
                   : m.result == CAPS_REFUSED ? -AMALGAM_EPERM
                                              : -AMALGAM_EINVAL;
        if (op == CAPS_READ_PART)
            memcpy(p->memory + at, m.data, n);
    }
    return 0;
}

static int64_t take(unsigned client, const struct caps *cap)
{
    if (cap->home >= homes.clusters || cap->home == homes.self)
        return -AMALGAM_EINVAL;
    int id = copies_new(&copies, client, cap);
    if (id < 0)
        return id;
    struct copy *p = &copies.copy[id];
    int64_t result = all_parts(p, CAPS_READ_PART);
    if (!result)
        result = show(client, p->memory, cap->rights & CAPS_WRITE);
    p->state = result < 0 ? COPY_FREE : COPY_SHOWN;
    p->handle = (uint32_t)result;
    return result < 0 ? result : (int64_t)FIRST_COPY + id;
}

static int64_t drop(unsigned client, uint32_t id)
{
    struct copy *p = copies_of(&copies, client, id - FIRST_COPY);
    if (id < FIRST_COPY)
        return revoke(client, id, true);
    if (!p)
        return -AMALGAM_EBADF;
    if (p->state == COPY_SHOWN)
        hide(&p, 1);
    p->state = COPY_FREE;
    return 0;
}

static int64_t give(unsigned client, uint32_t id)
{
    struct copy *p = copies_of(&copies, client, id - FIRST_COPY);
    return !p ? -AMALGAM_EBADF : p->state != COPY_SHOWN ? -AMALGAM_ESTALE : all_parts(p, CAPS_WRITE_PART);
}

static int64_t grant(unsigned client, struct caps_request *r)
{
    int64_t err = r->node < homes.clusters && r->node != homes.self ? ask_meet(r->node) : 0; /* not its former life */
    return err ? err : homes_grant(&homes, client, r->id, r->node, r->cap.rights, &r->cap);
}

static int64_t carry_out(unsigned client, struct caps_request *r)
{
    switch (r->call) {
    case CAPS_CREATE: return create(client);
    case CAPS_GRANT: return grant(client, r);
    case CAPS_REVOKE: return revoke(client, r->id, false);
    case CAPS_TAKE: return take(client, &r->cap);
    case CAPS_GIVE: return give(client, r->id);
    case CAPS_DROP: return drop(client, r->id);
    default: return -AMALGAM_EINVAL;
    }
}

/* Its handles are void as it has ended, and nothing of it stays. */
static void end_client(unsigned client)
{
    for (uint32_t i = 0; i < HOMES; i++)
        drop(client, i);
    for (uint32_t i = 0; i < COPIES; i++)
        drop(client, FIRST_COPY + i);
}

/* The rings and the end of a former life are not this one's. */
static void meet(unsigned client, uint32_t life)
{
    int64_t err;
    do
        err = amalgam_tunnel_wait(client, 0);
    while (!err || err == -AMALGAM_EPIPE);
    end_client(client);
    served[client].life = life;
    served[client].done = 0;
}

/* The client may change its memory at any moment, and may be another life when a request has been carried out. */
static void answer(unsigned client, struct caps_channel *c)
{
    uint32_t life = __atomic_load_n(&c->request.life, __ATOMIC_ACQUIRE);
    if (life != served[client].life)
        meet(client, life);
    uint32_t number = __atomic_load_n(&c->request.number, __ATOMIC_ACQUIRE);
    if (!number || number == served[client].done)
        return;
    struct caps_request r = *(volatile struct caps_request *)&c->request;
    served[client].done = number;
    volatile struct caps_reply *reply = &c->reply;
    reply->result = (int32_t)carry_out(client, &r);
    reply->cap = r.cap;
    reply->life = life;
    __atomic_store_n(&reply->number, number, __ATOMIC_RELEASE);
    amalgam_tunnel_notify(client);
}

static void *serve_client(void *arg)
{
    struct amalgam_tunnel t;
    unsigned client = (unsigned)(uintptr_t)arg;
    if (amalgam_tunnel_open(client, &t) || t.size < sizeof(struct caps_channel))
        __builtin_trap();
    for (int64_t err;;) {
        err = amalgam_tunnel_wait(client, AMALGAM_NEVER);
        ask_lock();
        if (err == -AMALGAM_EPIPE)
            end_client(client);
        else if (!err)
            answer(client, t.memory);
        ask_unlock();
        if (err && err != -AMALGAM_EPIPE && err != -AMALGAM_EINTR)
            return NULL; /* withdrawn by the operator */
    }
}

int main(int argc, char **argv)
{
    int64_t node = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE),
            nodes = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODES);
    unsigned long clients = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    int64_t in = node < 0 ? node : amalgam_mailbox_create((unsigned)node, CAPS_PORT);
    if (in < 0 || !clients || clients > CLIENTS) {
        printf("caps: %s\n", in < 0 ? "no mailbox at its port" : "caps CLIENTS: 1 to 8");
        return 1;
    }
    homes_begin(&homes, (unsigned)node, (unsigned)nodes, (unsigned)clients, memory[0], draw);
    copies_begin(&copies, (unsigned)clients, memory[HOMES]);
    ask_begin(draw, lose);
    for (uintptr_t i = 0; i < clients; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, serve_client, (void *)i))
            __builtin_trap();
    }
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
