/* SPDX-License-Identifier: MIT */
/*
 * link.h - carries messages of 9P between a client and a server that share memory, such as a tunnel's: places in a
 * ring, each with room for a question and for its answer. Questions are answered in their order, so a place is used
 * again as soon as its answer has been taken, and several may be under way: one bell tells of all.
 *
 *     offset 0    struct p9_side of the client
 *     offset 128  the same of the server
 *     offset 256  P9_PLACES places, each p9_link.area bytes for the question and as many for the answer
 *
 * Each end has a number for its life, which it says when it begins, and says whose life it talks to (`peer`). Both talk
 * while each has named the other one. An end that finds another life begins to count anew and then names it: so no
 * answer to a question of another life is taken for one's own, whoever begins again when (tests/model/p9_link.pml).
 *
 * The memory begins as zeros. The other end may be hostile: each end keeps its own count outside of that memory, reads
 * the other one's once and bounds it.
 *
 * The bell: an end that is going to sleep calls p9_link_sleeps(), and sleeps only if that returns true. An end that has
 * put something, or named the other one, rings if p9_link_bell() returns true.
 */
#ifndef AMALGAM_P9_LINK_H
#define AMALGAM_P9_LINK_H

#include "../lib/bell.h"
#include "wire.h"

#define P9_PLACES    8u
#define P9_PLACES_AT 256u
#define P9_AREA_MOST (1u << 20)

struct p9_side {
    uint32_t life;   /* not 0 */
    uint32_t peer;   /* the life of the other end's that this end talks to; 0: none */
    uint32_t count;  /* questions that were put, or answered, since then */
    uint32_t sleeps; /* 1: ring when the other end's has changed */
    uint8_t unused[112];
};

struct p9_link {
    struct p9_side *own, *other;
    uint8_t *places;
    uint32_t area; /* bytes of a question or an answer */
    uint32_t life; /* what own->life, peer and count say */
    uint32_t peer;
    uint32_t count;
    uint32_t taken; /* of the other end's count */
};

/* A new life of this end, which has named nobody. */
static inline void p9_link_renew(struct p9_link *l)
{
    l->life = __atomic_load_n(&l->own->life, __ATOMIC_RELAXED) + 1;
    l->life += !l->life;
    l->peer = 0;
    __atomic_store_n(&l->own->peer, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&l->own->count, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&l->own->sleeps, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&l->own->life, l->life, __ATOMIC_RELEASE);
}

/* Returns false if the memory is too small. */
static inline bool p9_link_begin(struct p9_link *l, void *memory, size_t size, bool server)
{
    struct p9_side *side = (struct p9_side *)memory;
    size_t area = size > P9_PLACES_AT ? (size - P9_PLACES_AT) / P9_PLACES / 2 & ~(size_t)63 : 0;
    if (area < P9_IO_HEADER + 1024)
        return false;
    *l = (struct p9_link){ .own = &side[server], .other = &side[!server], .places = (uint8_t *)memory + P9_PLACES_AT };
    l->area = area < P9_AREA_MOST ? (uint32_t)area : P9_AREA_MOST;
    p9_link_renew(l);
    return true;
}

/* Returns whether the other end has a life that this end has not named; p9_link_meet() does. */
static inline bool p9_link_is_new(const struct p9_link *l)
{
    return __atomic_load_n(&l->other->life, __ATOMIC_ACQUIRE) != l->peer;
}

/* Count anew, and name the other end's life. */
static inline void p9_link_meet(struct p9_link *l)
{
    l->peer = __atomic_load_n(&l->other->life, __ATOMIC_ACQUIRE);
    l->count = l->taken = 0;
    __atomic_store_n(&l->own->count, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&l->own->peer, l->peer, __ATOMIC_RELEASE);
}

/* Returns whether both have named each other. */
static inline bool p9_link_met(const struct p9_link *l)
{
    return l->peer && !p9_link_is_new(l) && __atomic_load_n(&l->other->peer, __ATOMIC_ACQUIRE) == l->life;
}

static inline uint8_t *p9_link_question(const struct p9_link *l, uint32_t n)
{
    return l->places + (size_t)(n & (P9_PLACES - 1)) * 2 * l->area;
}

static inline uint8_t *p9_link_answer(const struct p9_link *l, uint32_t n) { return p9_link_question(l, n) + l->area; }

/* Between two that have met: returns how much of the other end's has not been taken, at most `most`. A count that
 * cannot be right is 0. */
static inline uint32_t p9_link_there(const struct p9_link *l, uint32_t most)
{
    uint32_t n = __atomic_load_n(&l->other->count, __ATOMIC_ACQUIRE) - l->taken;
    return n <= most ? n : 0;
}

static inline void p9_link_put(struct p9_link *l) { __atomic_store_n(&l->own->count, ++l->count, __ATOMIC_RELEASE); }

/* Returns whether the other end is to be rung. */
static inline bool p9_link_bell(struct p9_link *l) { return bell_is_wanted(&l->other->sleeps); }

/* Say that this end is going to sleep until the other end puts something, names this end, or has another life. `met` is
 * what p9_link_met() said when the caller found nothing to do. Returns whether it may. */
static inline bool p9_link_sleeps(struct p9_link *l, bool met)
{
    bell_sleeps(&l->own->sleeps);
    return p9_link_met(l) == met && !p9_link_is_new(l) &&
           (!met || __atomic_load_n(&l->other->count, __ATOMIC_RELAXED) == l->taken);
}

static inline void p9_link_awake(struct p9_link *l) { bell_awake(&l->own->sleeps); }

#endif
