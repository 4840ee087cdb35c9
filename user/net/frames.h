/* SPDX-License-Identifier: MIT */
/*
 * frames.h - Ethernet frames between two processes, in the memory of a tunnel (amalgam/tunnel.h): two rings, one in
 * each direction, each of slots of 2 KiB with one writer and one reader. One end is a network stack, the other one a
 * card's driver or another stack.
 *
 *     offset 0    struct frames_side of end 0, written by end 0 (`sleeps` is cleared by end 1, too)
 *     offset 128  the same of end 1
 *     offset 256  the slots that end 0 writes, then those that end 1 writes: as many each, a power of two
 *
 * End 0 is the domain with the lower number (frames_end()). Counters run freely: `put` says how many frames the end has
 * put, `taken` how many of the other end's it has taken. The memory begins as zeros, which are two empty rings.
 *
 * The other end may be hostile, or may have ended in the middle of a frame and begun again. So each end keeps its own
 * counters outside of that memory, reads each word of the other end once, and bounds it: a length that no frame has
 * drops the frame, a counter that cannot be right empties the ring. From whatever state two honest ends meet in, frames
 * flow again. A frame that was there while an end began again may be lost, doubled or mixed of two: Ethernet's frames
 * are no better, and the protocols above have checksums.
 *
 * The bell: an end that is going to sleep calls frames_sleep(), and sleeps by tunnel_wait() only if that returns true.
 * An end that has put frames calls frames_bell() once, and tunnel_notify() if that returns true.
 * (tests/model/frames.pml)
 *
 * Nothing here is locked or makes a call: of each end at most one thread puts and at most one takes at a time.
 */
#ifndef AMALGAM_USER_NET_FRAMES_H
#define AMALGAM_USER_NET_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../lib/bell.h"

#define FRAMES_SLOT_SIZE 2048u
#define FRAMES_LONGEST   1536u /* bytes of a frame without its checksum: 1518 with a VLAN's tag */
#define FRAMES_SHORTEST  14u   /* its header */

struct frames_side {
    uint32_t put, taken;
    uint32_t sleeps;     /* 1: ring the bell when frames have been put for this end */
    uint8_t address[6];  /* a driver's: its card's, for the stack at the other end; zeros: none */
    uint8_t link;        /* a driver's: 1 if the card has a link */
    uint8_t unused[109]; /* no cache line of the other end's */
};

struct frames_slot {
    uint16_t length;
    uint8_t frame[FRAMES_SLOT_SIZE - sizeof(uint16_t)]; /* a packet in it, behind 14 bytes, is aligned to 16 */
};

#define FRAMES_SLOTS_AT 256u

/* One end of it; what counts lies here, out of the other end's reach. */
struct frames {
    struct frames_side *own, *other;
    struct frames_slot *out, *in;
    uint32_t slots; /* of a ring */
    uint32_t put, taken;
    uint32_t dropped;                 /* frames of the other end that were none */
    uint32_t emptied_out, emptied_in; /* how often a counter of the other end's could not be right */
};

/* Which end this process is, by the numbers of both domains. */
static inline unsigned frames_end(uint32_t domain, uint32_t peer) { return domain > peer; }

/*
 * Begin with both rings as they are found: what the other end has put is dropped, what this end has put in an earlier
 * life is forgotten. Returns false if the memory is too small for a slot in each direction.
 */
static inline bool frames_begin(struct frames *f, void *memory, size_t size, unsigned end)
{
    struct frames_side *side = (struct frames_side *)memory;
    uint32_t slots = 1;
    if (size < FRAMES_SLOTS_AT + 2 * FRAMES_SLOT_SIZE)
        return false;
    while (slots < 1u << 16 && FRAMES_SLOTS_AT + (size_t)4 * slots * FRAMES_SLOT_SIZE <= size)
        slots *= 2;
    struct frames_slot *first = (struct frames_slot *)((char *)memory + FRAMES_SLOTS_AT);
    *f = (struct frames){ .slots = slots };
    f->own = &side[end & 1];
    f->other = &side[~end & 1];
    f->out = end & 1 ? first + slots : first;
    f->in = end & 1 ? first : first + slots;
    f->put = __atomic_load_n(&f->other->taken, __ATOMIC_ACQUIRE);
    f->taken = __atomic_load_n(&f->other->put, __ATOMIC_ACQUIRE);
    __atomic_store_n(&f->own->put, f->put, __ATOMIC_RELEASE);
    __atomic_store_n(&f->own->taken, f->taken, __ATOMIC_RELEASE);
    __atomic_store_n(&f->own->sleeps, 0, __ATOMIC_RELEASE);
    return true;
}

/* --- putting ----------------------------------------------------------------------------------------------------- */

/* Returns where the next frame is to be written, FRAMES_LONGEST bytes; NULL: the ring is full. */
static inline uint8_t *frames_room(struct frames *f)
{
    uint32_t taken = __atomic_load_n(&f->other->taken, __ATOMIC_ACQUIRE);
    if (f->put - taken > f->slots) {
        f->put = taken;
        f->emptied_out++;
    }
    return f->put - taken == f->slots ? NULL : f->out[f->put & (f->slots - 1)].frame;
}

/* The frame that was written where frames_room() said is complete. Returns false, and puts none, if no frame has that
 * length. */
static inline bool frames_put(struct frames *f, size_t length)
{
    if (length < FRAMES_SHORTEST || length > FRAMES_LONGEST)
        return false;
    __atomic_store_n(&f->out[f->put & (f->slots - 1)].length, (uint16_t)length, __ATOMIC_RELAXED);
    __atomic_store_n(&f->own->put, ++f->put, __ATOMIC_RELEASE);
    return true;
}

/* Returns whether the other end is to be rung because frames were put. */
static inline bool frames_bell(struct frames *f) { return bell_is_wanted(&f->other->sleeps); }

/* --- taking ------------------------------------------------------------------------------------------------------ */

/*
 * Returns the oldest frame that was put, and its length; NULL: there is none. It stays until frames_taken(); the other
 * end may change its bytes meanwhile, so copy what is looked at twice.
 */
static inline const uint8_t *frames_look(struct frames *f, size_t *length)
{
    uint32_t put = __atomic_load_n(&f->other->put, __ATOMIC_ACQUIRE);
    if (put - f->taken > f->slots) {
        f->taken = put;
        f->emptied_in++;
        __atomic_store_n(&f->own->taken, put, __ATOMIC_RELEASE);
    }
    /* At most a ring of them, so that this ends. */
    while (f->taken != put) {
        const struct frames_slot *s = &f->in[f->taken & (f->slots - 1)];
        uint16_t n = __atomic_load_n(&s->length, __ATOMIC_RELAXED);
        if (n >= FRAMES_SHORTEST && n <= FRAMES_LONGEST) {
            *length = n;
            return s->frame;
        }
        f->dropped++;
        __atomic_store_n(&f->own->taken, ++f->taken, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* The frame that frames_look() returned is no longer needed. */
static inline void frames_taken(struct frames *f) { __atomic_store_n(&f->own->taken, ++f->taken, __ATOMIC_RELEASE); }

/* Say that this end is going to sleep. Returns whether it may: false if there is a frame already. */
static inline bool frames_sleep(struct frames *f)
{
    bell_sleeps(&f->own->sleeps);
    return __atomic_load_n(&f->other->put, __ATOMIC_RELAXED) == f->taken;
}

/* Awake again, for whatever reason; the other end rings no more. */
static inline void frames_awake(struct frames *f) { bell_awake(&f->own->sleeps); }

/* --- cards ------------------------------------------------------------------------------------------------------- */

/* A driver says what the stack at the other end has to know of its card, after frames_begin() and when it changes. */
static inline void frames_tell_card(struct frames *f, const uint8_t address[6], bool link)
{
    memcpy(f->own->address, address, sizeof f->own->address);
    __atomic_store_n(&f->own->link, link, __ATOMIC_RELEASE);
}

/* Returns whether the other end has named a card; its address is then in address[], and *link says whether it is up. */
static inline bool frames_card(const struct frames *f, uint8_t address[6], bool *link)
{
    unsigned any = 0;
    *link = __atomic_load_n(&f->other->link, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < sizeof f->other->address; i++)
        any |= address[i] = __atomic_load_n(&f->other->address[i], __ATOMIC_RELAXED);
    return any;
}

#endif
