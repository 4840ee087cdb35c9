/* SPDX-License-Identifier: MIT */
/* kept.h - the kernel's output that the module keeps, and how a reader gets it. The caller serializes all of it. */
#ifndef AMALGAM_KEPT_H
#define AMALGAM_KEPT_H

#include <linux/types.h>

#define TAG    0xff
#define KERNEL 0xfe

/* The source of the next byte. */
struct tag {
    u8 source;
    bool escape; /* the byte before was TAG */
};

void tag_next(struct tag *tag, u8 byte);
/* Write the bytes that set a peer's tag to this one. Returns their number. */
u8 tag_bytes(const struct tag *tag, u8 bytes[3]);

#define KEPT_LEAST  4 /* bytes that a reader must have room for: a tag and a byte that is written as two */
#define KEPT_MEMORY ((256 + 64) * 1024)

/* Use these KEPT_MEMORY bytes, with nothing in them. */
void kept_start(u8 *memory);
/* Keep the next byte that the kernel has put out, tags included. */
void kept_add(u8 byte);

struct kept_position {
    u64 at;         /* in the ring of all sources */
    struct tag tag; /* in force there */
    u64 own_at;     /* how many bytes of the kernel's own came before it */
    bool behind;    /* it reads first what it lacks of these */
    u8 first[3];    /* the tag that it gets before the byte at `at` */
    u8 first_n;
};

/* Set the position to the oldest byte that is kept, or behind the newest one. */
void kept_seek(struct kept_position *p, bool oldest);
bool kept_has_news(const struct kept_position *p);
/* Copy the next bytes, at most `room`. Returns their number; 0 if there are none, or room < KEPT_LEAST. */
size_t kept_next(struct kept_position *p, u8 *to, size_t room);

#endif
