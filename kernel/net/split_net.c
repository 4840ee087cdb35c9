/* SPDX-License-Identifier: MIT */
/*
 * split_net.c - a switch's uplink: a network of the Linux above, as two rings of frames (api/backend.h), entry "net0"
 * for switch 0 and so on.
 *
 * A frame is lost if its ring is full, as on a wire. Frames from Linux are taken one by one: a frame is copied before
 * it is examined, and the switch is locked for a budget's work on one frame only.
 */
#include <core/log.h>
#include <core/split.h>
#include <errors.h>
#include <string.h>
#include "uplink.h"

static struct uplink {
    struct net_uplink out; /* for its switch */
    struct net_switch *sw;
    struct backend_net *rings;
    unsigned entry;
    u32 sent, taken; /* our own indices of the rings */
} uplinks[N_SWITCHES];

/* Take the frames in Linux's ring. Returns false: Linux rings again for later ones. */
static bool from_linux(void *arg)
{
    struct uplink *w = arg;
    struct backend_ring *ring = &w->rings->to_guests;
    u8 bytes[FRAME_MAX];
    for (unsigned n = 0; n < BACKEND_FRAMES; n++) { /* at most a full ring */
        if (__atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) == w->taken)
            return false;
        const struct backend_frame *b = &ring->frame[w->taken % BACKEND_FRAMES];
        u32 length = READ_ONCE(b->length);
        bool good = length >= FRAME_MIN && length <= FRAME_MAX;
        if (good)
            memcpy(bytes, b->byte, length);
        __atomic_store_n(&ring->tail, ++w->taken, __ATOMIC_RELEASE);
        if (good)
            uplink_forward(w->sw, NULL, bytes, length);
    }
    return false;
}

static int to_linux(struct net_uplink *out, struct net_frame *f)
{
    struct uplink *w = container_of(out, struct uplink, out);
    struct backend_ring *ring = &w->rings->to_linux;
    if (w->sent - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) >= BACKEND_FRAMES)
        return -ENOSPC;
    struct backend_frame *b = &ring->frame[w->sent % BACKEND_FRAMES];
    if (!net_frame_copy(f, b->byte, f->length))
        return -ENOSPC;
    WRITE_ONCE(b->length, f->length);
    __atomic_store_n(&ring->head, ++w->sent, __ATOMIC_RELEASE);
    split_ring(w->entry);
    return 0;
}

__init_text struct net_uplink *uplink_create(unsigned number, struct net_switch *sw)
{
    char name[BACKEND_NAME];
    struct uplink *w = &uplinks[number];
    ksnprintf(name, sizeof(name), "net%u", number);
    struct split_entry e = { BACKEND_NET, 0, name, 0, sizeof(struct backend_net), from_linux, w };
    w->out.send = to_linux;
    w->sw = sw;
    w->sent = w->taken = 0;
    void *memory;
    int entry = split_claim(&e, &memory);
    if (entry < 0) {
        printk("net: switch %u has no uplink to Linux: error %d\n", number, entry);
        return NULL;
    }
    w->entry = (unsigned)entry;
    w->rings = memory;
    return &w->out;
}
