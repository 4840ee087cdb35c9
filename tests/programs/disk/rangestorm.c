/* SPDX-License-Identifier: MIT */
/*
 * rangestorm.c - a hostile holder of a range of a disk that another process drives: arguments [rangestorm, QUESTIONS].
 * It asks for anything, changes its question while it is answered, sends any of its handles, and says how many answers
 * were errors. All that it may write it writes; each byte that it reads must be its own, or zero.
 */
#include <amalgam/blocks.h>
#include <stdlib.h>
#include <string.h>

#include "../../../user/p9/tunnel_link.h"
#include "../../../user/disk/range.h"

#define PROGRAM "rangestorm"
#include "../../../user/programs/must.h"

#define OWN 0x5a /* what it writes */

static struct p9_link link;
static unsigned tunnel;

static void meet(void)
{
    while (!p9_link_met(&link)) {
        if (p9_link_is_new(&link)) {
            p9_tunnel_drain(tunnel);
            p9_link_meet(&link);
        }
        if (!p9_link_met(&link))
            p9_tunnel_sleep(&link, &tunnel, false, AMALGAM_NEVER);
    }
}

/* Returns the answer to the question that was written. */
static struct range_answer *ask(struct range_question *q)
{
    p9_link_put(&link);
    q->at ^= rand() % 3 ? 0 : (uint64_t)1 << rand() % 64; /* it is being answered, perhaps */
    while (!p9_link_there(&link, 1))
        MUST(p9_tunnel_sleep(&link, &tunnel, true, AMALGAM_NEVER) != -AMALGAM_EPIPE);
    return (struct range_answer *)p9_link_answer(&link, link.taken++);
}

static struct range_question *question(uint32_t kind)
{
    struct range_question *q = (struct range_question *)p9_link_question(&link, link.count);
    q->kind = kind;
    return q;
}

int main(int argc, char **argv)
{
    struct amalgam_tunnel t;
    unsigned questions = argc > 1 ? (unsigned)atoi(argv[1]) : 1000, refused = 0, read = 0;
    int64_t range;
    MUST(!amalgam_tunnel_open(tunnel, &t) && p9_link_begin(&link, t.memory, t.size, false));
    meet();
    while ((range = amalgam_handle_receive(tunnel)) == -AMALGAM_EAGAIN)
        amalgam_yield();
    MUST(range >= 0 && !amalgam_handle_send(tunnel, (unsigned)range, AMALGAM_HANDLE_READ | AMALGAM_HANDLE_WRITE));
    MUST(!ask(question(RANGE_SHOW))->error);
    for (unsigned i = 0; i < questions; i++) {
        uint32_t kind = (uint32_t)rand() % 6;
        struct range_question *q = question(kind);
        q->at = rand() % 2 ? (uint64_t)(rand() % 200) * RANGE_SECTOR : (uint64_t)rand() << rand() % 40;
        q->n = rand() % 2 ? (uint32_t)(rand() % 10) * RANGE_SECTOR : (uint32_t)rand();
        memset(q->data, OWN, sizeof q->data);
        if (!(rand() % 8))
            amalgam_handle_send(tunnel, (unsigned)(rand() % 32), (uint32_t)(rand() % 16));
        if (!(rand() % 8)) /* so that it has one that it may write */
            amalgam_handle_send(tunnel, (unsigned)range, AMALGAM_HANDLE_READ | AMALGAM_HANDLE_WRITE);
        uint32_t n = q->n;
        const struct range_answer *a = ask(q);
        refused += a->error != 0;
        for (uint32_t k = 0; kind == RANGE_READ && !a->error && k < n && k < RANGE_PIECE; k++)
            MUST(a->data[k] == OWN || !a->data[k]);
        read += kind == RANGE_READ && !a->error;
    }
    printf("rangestorm: %u refused, %u read\n", refused, read);
    return 0;
}
