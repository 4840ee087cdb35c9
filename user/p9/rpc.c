/* SPDX-License-Identifier: MIT */
/* rpc.c - a client's questions and answers over a tunnel, and the meeting with a server: rpc.h. */
#include "rpc.h"

#include <stdarg.h>
#include <string.h>

#include "tunnel_link.h"

#define PATIENCE 2000000000ull /* ns for a server that does not run (yet) */

/* --- meeting ----------------------------------------------------------------------------------------------------- */

static int lost(struct p9_client *c)
{
    c->up = false;
    return -EIO;
}

/* Sleep until the server has done something. Returns false if it has ended. */
static bool sleep(struct p9_client *c, bool met, uint64_t deadline)
{
    int64_t result = p9_tunnel_sleep(&c->link, &c->tunnel, met, deadline);
    return result == 0 || result == -AMALGAM_EINTR;
}

static bool meet(struct p9_client *c)
{
    uint64_t deadline = (uint64_t)amalgam_clock() + PATIENCE;
    for (;;) {
        if (p9_link_is_new(&c->link)) {
            p9_tunnel_drain(c->tunnel);
            p9_link_meet(&c->link);
        }
        bool met = p9_link_met(&c->link);
        if (met)
            return true;
        sleep(c, met, deadline);
        if ((uint64_t)amalgam_clock() >= deadline)
            return false;
    }
}

/* Both questions with one bell. */
static int begin_session(struct p9_client *c)
{
    struct p9_cursor in, q = p9_question(c);
    p9_put(&q, 4, c->link.area);
    p9_put_text(&q, P9_VERSION, strlen(P9_VERSION));
    p9_say(c, &q, P9_TVERSION);
    q = p9_question(c);
    p9_put(&q, 4, ROOT);
    p9_put(&q, 4, P9_NO_FID);
    p9_put_text(&q, "", 0);
    p9_put_text(&q, "", 0);
    p9_put(&q, 4, 0);
    p9_say(c, &q, P9_TATTACH);
    int error = p9_answer(c, P9_TVERSION, &in);
    return error ? error : p9_answer(c, P9_TATTACH, &in);
}

int p9_connect(struct p9_client *c)
{
    if (c->up && !p9_link_is_new(&c->link))
        return 0;
    c->up = false;
    c->late = 0;
    c->used = 1u << ROOT;
    c->session++;
    p9_link_renew(&c->link); /* what an ended server left there names the life before */
    if (!meet(c))
        return -EIO;
    c->up = true;
    if (!begin_session(c))
        return 0;
    return lost(c);
}

/* --- questions --------------------------------------------------------------------------------------------------- */

/* Returns where the next answer is, or NULL when the session is over. */
static uint8_t *await(struct p9_client *c)
{
    struct p9_link *l = &c->link;
    while (c->up && !p9_link_there(l, l->count - l->taken)) {
        bool met = p9_link_met(l);
        if (!met || !sleep(c, met, AMALGAM_NEVER))
            lost(c);
    }
    return c->up ? p9_link_answer(l, l->taken++) : NULL;
}

static void take_late(struct p9_client *c)
{
    for (; c->late && await(c); c->late--)
        continue;
}

struct p9_cursor p9_question(struct p9_client *c)
{
    if (c->link.count - c->link.taken == P9_PLACES)
        take_late(c);
    return (struct p9_cursor){ p9_link_question(&c->link, c->link.count) + P9_HEADER, c->link.area - P9_HEADER, false };
}

void p9_say(struct p9_client *c, struct p9_cursor *q, uint8_t type)
{
    uint8_t *message = p9_link_question(&c->link, c->link.count);
    struct p9_cursor head = { message, P9_HEADER, false };
    p9_put(&head, 4, (uint64_t)(q->at - message));
    p9_put(&head, 1, type);
    p9_put(&head, 2, c->link.count & 0x7fff);
    p9_link_put(&c->link);
}

void p9_say_numbers(struct p9_client *c, uint8_t type, const char *form, ...)
{
    struct p9_cursor q = p9_question(c);
    va_list numbers;
    va_start(numbers, form);
    for (; *form; form++)
        p9_put(&q, (unsigned)(*form - '0'), va_arg(numbers, uint64_t));
    va_end(numbers);
    p9_say(c, &q, type);
}

int p9_answer(struct p9_client *c, uint8_t type, struct p9_cursor *in)
{
    take_late(c);
    uint32_t tag = c->link.taken & 0x7fff;
    uint8_t *answer = await(c);
    if (!answer)
        return -EIO;
    *in = (struct p9_cursor){ answer, c->link.area, false };
    uint32_t size = p9_u32(in);
    uint8_t of = p9_u8(in);
    if (size < P9_HEADER || size > c->link.area || p9_u16(in) != tag)
        return lost(c); /* the server does not keep to the protocol */
    in->left = size - P9_HEADER;
    if (of == P9_RLERROR) {
        int error = (int)p9_u32(in);
        return error > 0 && error < 4096 && !in->bad ? -error : lost(c);
    }
    return of == type + 1 ? 0 : lost(c);
}

void p9_drop(struct p9_client *c) { c->late++; }

/* --- fids -------------------------------------------------------------------------------------------------------- */

uint32_t p9_fid_take(struct p9_client *c)
{
    if (c->used == UINT64_MAX)
        return P9_NO_FID;
    uint32_t fid = (uint32_t)__builtin_ctzll(~c->used);
    c->used |= 1ull << fid;
    return fid;
}

void p9_fid_give(struct p9_client *c, uint32_t fid, bool there)
{
    c->used &= ~(1ull << fid);
    if (!there || !c->up)
        return;
    p9_say_numbers(c, P9_TCLUNK, "4", (uint64_t)fid);
    p9_drop(c);
}
