/* SPDX-License-Identifier: MIT */
/*
 * numbers.h - numbered messages over a tunnel, between two members of which each may die at any instruction and begin
 * again. The first page has a half for each; a member writes its own half only, and the memory outlives both.
 *
 * A member counts its lives there, and numbers the messages of a life. The other one copies a message, says which one
 * it has taken, and takes it once, however often it dies itself. A message that is not taken in time is withdrawn and
 * counted, then the next one follows. So a reader can tell what must not be: a number twice, one of a life that is over
 * when a later one was heard of, a message of two lives, or a number missing that the writer has not counted. (What was
 * lost before the reader's own life began it cannot tell.)
 *
 * A member may order the other one to die; the order names the life that it means.
 */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#define NUMBERS_DATA 48

struct numbers_half {
    uint32_t life;
    uint32_t number; /* of the message; 0: there is none */
    uint32_t dropped;
    uint32_t taken_life, taken; /* of the other half's messages, the last one taken */
    uint32_t order_life, order; /* what a member of that life is to do; a letter */
    uint32_t data[NUMBERS_DATA];
};

struct numbers {
    volatile struct numbers_half *mine;
    const volatile struct numbers_half *theirs;
    uint32_t life, number, dropped;
    uint32_t from, last, counted; /* of the last message taken: life, number, its writer's count of dropped ones */
    uint32_t unsure;              /* the last message taken may be among those that its writer has dropped */
    bool blind;                   /* nothing taken in this life */
    uint32_t taken, missing;      /* sums */
    const char *wrong;            /* NULL, or what must not be */
};

#define NUMBERS_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)

static inline uint32_t numbers_word(uint32_t life, uint32_t number, uint32_t i)
{
    return (life * 40503u + number) * 2654435761u + i * 97u;
}

/* Begin a life in half `side` (0 or 1) of the tunnel. */
static inline void numbers_begin(struct numbers *n, void *tunnel, unsigned side)
{
    volatile struct numbers_half *half = (volatile struct numbers_half *)tunnel;
    *n = (struct numbers){ .mine = &half[side], .theirs = &half[!side], .blind = true };
    n->mine->number = 0;
    n->mine->order = 0;
    NUMBERS_FENCE();
    n->mine->dropped = 0;
    n->from = n->mine->taken_life;
    n->last = n->mine->taken;
    n->life = n->mine->life + 1;
    NUMBERS_FENCE();
    n->mine->life = n->life;
}

static inline bool numbers_taken(const struct numbers *n)
{
    return n->theirs->taken_life == n->life && n->theirs->taken == n->number;
}

/* Send the next message if the last one was taken, or is `late` and is withdrawn. Returns whether one was sent. */
static inline bool numbers_send(struct numbers *n, bool late)
{
    volatile struct numbers_half *h = n->mine;
    bool taken = !n->number || numbers_taken(n);
    if (!taken && !late)
        return false;
    h->number = 0;
    NUMBERS_FENCE();
    if (!taken && !numbers_taken(n))
        h->dropped = ++n->dropped;
    n->number++;
    for (uint32_t i = 0; i < NUMBERS_DATA; i++)
        h->data[i] = numbers_word(n->life, n->number, i);
    NUMBERS_FENCE();
    h->number = n->number;
    NUMBERS_FENCE();
    return true;
}

/* What is missing before message `number` of `life`, and whether that is what its writer has counted. */
static inline void numbers_check_gap(struct numbers *n, uint32_t life, uint32_t number, uint32_t counted)
{
    bool same = life == n->from;
    uint32_t missing = number - 1 - (same ? n->last : 0), told = counted - (same ? n->counted : 0);
    if (same && n->blind) /* its count when the last one was taken went with this member's former life */
        return;
    n->missing += missing;
    if (told - missing > (same ? n->unsure : 0))
        n->wrong = "what is missing is not what was counted";
}

/* Take the other half's message. Returns whether there was one. */
static inline bool numbers_take(struct numbers *n)
{
    const volatile struct numbers_half *h = n->theirs;
    uint32_t life = h->life, data[NUMBERS_DATA];
    NUMBERS_FENCE();
    uint32_t number = h->number;
    if (!number || (life == n->from && number == n->last))
        return false;
    NUMBERS_FENCE();
    uint32_t counted = h->dropped;
    for (uint32_t i = 0; i < NUMBERS_DATA; i++)
        data[i] = h->data[i];
    NUMBERS_FENCE();
    if (h->number != number || h->life != life)
        return false; /* withdrawn, or its writer has begun again */
    for (uint32_t i = 0; i < NUMBERS_DATA; i++)
        if (data[i] != numbers_word(life, number, i))
            n->wrong = "a message is not whole, or of another life than it says";
    if ((int32_t)(life - n->from) < 0)
        n->wrong = "a message of a life that was over";
    if (life == n->from && (int32_t)(number - n->last) < 0)
        n->wrong = "a number twice";
    if (!n->wrong)
        numbers_check_gap(n, life, number, counted);
    if (life != n->from) {
        n->mine->taken = 0;
        NUMBERS_FENCE();
        n->mine->taken_life = life;
        NUMBERS_FENCE();
    }
    n->mine->taken = number;
    NUMBERS_FENCE();
    n->unsure = h->number != number;
    n->from = life;
    n->last = number;
    n->counted = counted;
    n->blind = false;
    n->taken++;
    return true;
}

/* Order the other member, in the life that it is in now. */
static inline void numbers_order(struct numbers *n, char what)
{
    n->mine->order = 0;
    NUMBERS_FENCE();
    n->mine->order_life = n->theirs->life;
    NUMBERS_FENCE();
    n->mine->order = (uint32_t)what;
}

/* Returns the other member's order for this life, or 0. */
static inline char numbers_ordered(const struct numbers *n)
{
    uint32_t order = n->theirs->order;
    NUMBERS_FENCE();
    return n->theirs->order_life == n->life ? (char)order : 0;
}

#endif
