// SPDX-License-Identifier: MIT
/*
 * kept.c - keeps the kernel's output: the last bytes of all sources, and of the kernel's own some more.
 *
 * The bytes mean nothing without the tag that names their source, so the tags in force at both ends of the ring are
 * kept, too, and a reader gets its tag first. Bytes of the kernel's own that are lost from that ring go into one of
 * their own, so that a domain that prints much does not push them out. A reader that begins with the oldest byte, or
 * that was too slow, gets these first.
 */
#include "kept.h"

#define ALL (256 * 1024) /* a power of two */
#define OWN (64 * 1024)  /* the same */

static struct {
    u8 *byte;
    u64 head, tail;            /* count up for ever; head - tail <= ALL */
    struct tag newest, oldest; /* at head, at tail */
    u8 *own;                   /* what the kernel has said before the tail: */
    u64 own_head, own_tail;    /* numbers of its bytes, counted from the first one */
    u64 own_next;              /* that of the next one at head */
} kept;

void tag_next(struct tag *tag, u8 byte)
{
    if (!tag->escape) {
        tag->escape = byte == TAG;
        return;
    }
    tag->escape = false;
    if (byte != TAG)
        tag->source = byte;
}

u8 tag_bytes(const struct tag *tag, u8 bytes[3])
{
    bytes[0] = bytes[2] = TAG;
    bytes[1] = tag->source;
    return tag->escape ? 3 : 2;
}

void kept_start(u8 *memory)
{
    kept.byte = memory;
    kept.own = memory + ALL;
    kept.head = kept.tail = kept.own_head = kept.own_tail = kept.own_next = 0;
    kept.newest = kept.oldest = (struct tag){ .source = KERNEL };
}

/* Returns whether the byte is text of the kernel's own. */
static bool is_own(const struct tag *tag, u8 byte) { return tag->source == KERNEL && tag->escape == (byte == TAG); }

/* The oldest byte is lost, unless it is the kernel's own. */
static void lose_oldest(void)
{
    u8 byte = kept.byte[kept.tail++ % ALL];

    if (is_own(&kept.oldest, byte)) {
        if (kept.own_head - kept.own_tail == OWN)
            kept.own_tail++;
        kept.own[kept.own_head++ % OWN] = byte;
    }
    tag_next(&kept.oldest, byte);
}

void kept_add(u8 byte)
{
    if (kept.head - kept.tail == ALL)
        lose_oldest();
    kept.byte[kept.head++ % ALL] = byte;
    kept.own_next += is_own(&kept.newest, byte);
    tag_next(&kept.newest, byte);
}

static void set_position(struct kept_position *p, u64 at, const struct tag *tag, u64 own_at)
{
    p->at = at;
    p->tag = *tag;
    p->own_at = own_at;
    p->first_n = tag_bytes(tag, p->first);
}

void kept_seek(struct kept_position *p, bool oldest)
{
    p->behind = oldest;
    if (oldest)
        set_position(p, kept.tail, &kept.oldest, kept.own_tail);
    else
        set_position(p, kept.head, &kept.newest, kept.own_next);
}

bool kept_has_news(const struct kept_position *p)
{
    return p->at < kept.head || (p->behind && p->own_at < kept.own_head);
}

/* Copy bytes of the kernel's own, with its tag. At their end go on in the ring of all sources. */
static size_t own_bytes(struct kept_position *p, u8 *to, size_t room)
{
    static const struct tag kernel = { .source = KERNEL };
    size_t n = 0;

    if (p->own_at < kept.own_tail)
        p->own_at = kept.own_tail;
    if (p->own_at < kept.own_head)
        n = tag_bytes(&kernel, to);
    for (; n + 2 <= room && p->own_at < kept.own_head; p->own_at++) {
        to[n++] = kept.own[p->own_at % OWN];
        if (to[n - 1] == TAG)
            to[n++] = TAG;
    }
    if (p->own_at == kept.own_head) {
        set_position(p, kept.tail, &kept.oldest, kept.own_head);
        p->behind = false;
    }
    return n;
}

static u8 next_byte(struct kept_position *p)
{
    u8 byte = kept.byte[p->at++ % ALL];

    p->own_at += is_own(&p->tag, byte);
    tag_next(&p->tag, byte);
    return byte;
}

size_t kept_next(struct kept_position *p, u8 *to, size_t room)
{
    size_t n = 0, i;

    if (room < KEPT_LEAST)
        return 0;
    if (p->at < kept.tail) /* it was too slow */
        p->behind = true;
    if (p->behind)
        n = own_bytes(p, to, room);
    if (p->behind || p->at == kept.head || p->first_n > room - n)
        return n;
    for (i = 0; i < p->first_n; i++)
        to[n++] = p->first[i];
    p->first_n = 0;
    while (n < room && p->at < kept.head)
        to[n++] = next_byte(p);
    return n;
}
