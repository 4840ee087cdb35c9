/* SPDX-License-Identifier: MIT */
/* range_disk.c - blocks of a disk that another process drives: amalgam/disk.h, range.h. */
#include <amalgam/blocks.h>
#include <stdlib.h>
#include <string.h>

#include "../p9/tunnel_link.h"
#include "blocks.h"
#include "range.h"

#define PATIENCE 2000000000ull /* ns for a driver that does not run (yet) */

struct range_disk {
    struct p9_link link;
    unsigned tunnel;
    int handle;    /* of the range; -1: none has come */
    uint32_t most; /* blocks that it had when it was opened */
    bool up;
};

static bool meet(struct range_disk *r)
{
    uint64_t deadline = (uint64_t)amalgam_clock() + PATIENCE;
    p9_link_renew(&r->link);
    for (;;) {
        if (p9_link_is_new(&r->link)) {
            p9_tunnel_drain(r->tunnel);
            p9_link_meet(&r->link);
        }
        if (p9_link_met(&r->link))
            return true;
        p9_tunnel_sleep(&r->link, &r->tunnel, false, deadline);
        if ((uint64_t)amalgam_clock() >= deadline)
            return false;
    }
}

/* Put the question that was written, and wait for its answer. Returns it, or NULL: the driver has ended. */
static struct range_answer *ask(struct range_disk *r)
{
    struct p9_link *l = &r->link;
    p9_link_put(l);
    while (!p9_link_there(l, 1)) {
        int64_t result = p9_link_met(l) ? p9_tunnel_sleep(l, &r->tunnel, true, AMALGAM_NEVER) : -AMALGAM_EPIPE;
        if (result && result != -AMALGAM_EINTR) {
            r->up = false;
            return NULL;
        }
    }
    return (struct range_answer *)p9_link_answer(l, l->taken++);
}

static struct range_question *question(struct range_disk *r)
{
    return (struct range_question *)p9_link_question(&r->link, r->link.count);
}

/* Meet the driver, take the handle that it gives, and show it. Returns its blocks or an error. */
static int64_t begin(struct range_disk *r)
{
    if (!meet(r))
        return -AMALGAM_EIO;
    for (int64_t handle; (handle = amalgam_handle_receive(r->tunnel)) >= 0; r->handle = (int)handle)
        if (r->handle >= 0)
            amalgam_handle_close((unsigned)r->handle);
    if (r->handle < 0)
        return -AMALGAM_EIO;
    uint32_t rights = (uint32_t)amalgam_handle_info((unsigned)r->handle, AMALGAM_HANDLE_INFO_RIGHTS);
    int64_t error = amalgam_handle_send(r->tunnel, (unsigned)r->handle, rights & ~AMALGAM_HANDLE_OWN);
    if (error)
        return error;
    r->up = true;
    question(r)->kind = RANGE_SHOW;
    const struct range_answer *a = ask(r);
    return !a ? -AMALGAM_EIO : a->error < 0 ? a->error : (int64_t)a->blocks;
}

/* The driver's next life is found by the next request. Other blocks than before are none of this disk's. */
static int64_t up(struct range_disk *r)
{
    if (r->up && !p9_link_is_new(&r->link))
        return 0;
    r->up = false;
    int64_t blocks = begin(r);
    if (blocks >= 0 && blocks < r->most)
        r->up = false;
    return blocks < 0 ? blocks : r->up ? 0 : -AMALGAM_EIO;
}

static int request(void *driver, uint32_t kind, uint64_t at, void *to, const void *from, uint32_t n)
{
    struct range_disk *r = driver;
    int64_t error = up(r);
    if (error)
        return (int)error;
    struct range_question *q = question(r);
    q->kind = kind;
    q->at = at;
    q->n = n;
    if (from)
        memcpy(q->data, from, n);
    const struct range_answer *a = ask(r);
    if (!a)
        return -AMALGAM_EIO;
    int32_t result = a->error;
    if (!result && to)
        memcpy(to, a->data, n);
    return result;
}

static int read_range(void *driver, uint64_t at, void *to, uint32_t n)
{
    return request(driver, RANGE_READ, at, to, NULL, n);
}

static int write_range(void *driver, uint64_t at, const void *from, uint32_t n)
{
    return request(driver, RANGE_WRITE, at, NULL, from, n);
}

static int flush_range(void *driver) { return request(driver, RANGE_FLUSH, 0, NULL, NULL, 0); }

static const struct blocks_driver by = { read_range, write_range, flush_range };

int amalgam_disk_open_range(struct amalgam_disk *d, uint32_t index)
{
    struct amalgam_tunnel t;
    struct range_disk *r = calloc(1, sizeof *r);
    int64_t error = r ? amalgam_tunnel_open(index, &t) : -AMALGAM_ENOMEM;
    if (!error && (!(t.rights & AMALGAM_TUNNEL_WRITE) || !p9_link_begin(&r->link, t.memory, t.size, false) ||
                   r->link.area < sizeof(struct range_question)))
        error = -AMALGAM_EINVAL;
    int64_t blocks = error;
    if (!error) {
        r->tunnel = index;
        r->handle = -1;
        blocks = begin(r);
    }
    if (blocks <= 0) {
        free(r);
        return blocks ? (int)blocks : -AMALGAM_EIO;
    }
    r->most = (uint32_t)blocks;
    *d = (struct amalgam_disk){ .driver = r, .by = &by, .blocks = (uint32_t)blocks };
    blocks_configure(d);
    return 0;
}
