/* SPDX-License-Identifier: MIT */
/* clients.c - see clients.h. */
#include "clients.h"

#include <amalgam/handle.h>
#include <pthread.h>
#include <string.h>

#include "ahead.h"
#include "ask.h"

#define FIRST_COPY 16u             /* ids of copies */
#define COPY_LIMIT (4 * ASK_LIMIT) /* for all parts of one */

static struct homes *homes;
static struct copies *copies;
static uint32_t home_handle[HOMES];
static struct {
    uint32_t life;
    uint32_t done; /* number of the last request */
} served[ASK_CLIENTS];

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
    int slot = homes_create(homes, client);
    if (slot < 0)
        return slot;
    int64_t handle = show(client, homes->home[slot].memory, true);
    if (handle < 0) {
        homes_free(homes, (uint32_t)slot);
        return handle;
    }
    home_handle[slot] = (uint32_t)handle;
    return slot;
}

/* Tell clusters (bits) that a page is over: some by others, and those of which no proof comes in that way by itself.
 * Returns (bits) who has not answered. */
static uint32_t tell(unsigned client, uint32_t slot, uint32_t told)
{
    const struct home *s = &homes->home[slot];
    if (s->ending)
        told = (told & ~s->ending) | ask_ended(client, homes->self, slot, s->generation, s->token, s->proof, s->ending);
    told &= s->owing; /* who was lost is not asked */
    return told ? ask_revoked(client, slot, s->generation, s->seal, told) : 0;
}

/* Returns how many clusters neither answered nor were lost. */
static int64_t revoke(unsigned client, uint32_t slot, bool frees)
{
    uint32_t told;
    int64_t result = homes_revoke(homes, client, slot, &told);
    if (result)
        return result;
    if (told)
        result = __builtin_popcount(homes_told(homes, slot, tell(client, slot, told)));
    if (frees) {
        amalgam_handle_close(home_handle[slot]);
        homes_free(homes, slot);
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
        size_t at = part * CAPS_PART, n = amalgam_caps_part_size(part);
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
    if (cap->home >= homes->clusters || cap->home == homes->self)
        return -AMALGAM_EINVAL;
    int id = copies_new(copies, client, cap);
    if (id < 0)
        return id;
    struct copy *p = &copies->copy[id];
    int64_t result = all_parts(p, CAPS_READ_PART);
    if (!result)
        result = show(client, p->memory, cap->rights & CAPS_WRITE);
    p->state = result < 0 ? COPY_FREE : COPY_SHOWN;
    p->handle = (uint32_t)result;
    return result < 0 ? result : (int64_t)FIRST_COPY + id;
}

static int64_t drop(unsigned client, uint32_t id)
{
    struct copy *p = copies_of(copies, client, id - FIRST_COPY);
    if (id < FIRST_COPY)
        return revoke(client, id, true);
    if (!p)
        return -AMALGAM_EBADF;
    if (p->state == COPY_SHOWN)
        amalgam_handle_close(p->handle);
    p->state = COPY_FREE;
    return 0;
}

static int64_t give(unsigned client, uint32_t id)
{
    struct copy *p = copies_of(copies, client, id - FIRST_COPY);
    return !p ? -AMALGAM_EBADF : p->state != COPY_SHOWN ? -AMALGAM_ESTALE : all_parts(p, CAPS_WRITE_PART);
}

static int64_t grant(unsigned client, struct caps_request *r)
{
    int64_t err = r->node < homes->clusters && r->node != homes->self ? ask_meet(r->node) : 0; /* not its former life */
    return err ? err : homes_grant(homes, client, r->id, r->node, r->cap.rights, &r->cap);
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
    ahead_fill(); /* the client goes on meanwhile */
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

void clients_begin(struct homes *h, struct copies *c)
{
    homes = h;
    copies = c;
    for (uintptr_t i = 0; i < h->clients; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, serve_client, (void *)i))
            __builtin_trap();
    }
}
