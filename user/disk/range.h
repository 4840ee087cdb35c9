/* SPDX-License-Identifier: MIT */
/*
 * range.h - blocks of a disk for other processes: what the driver of a disk and who has the handle of a range of it
 * (amalgam/blocks.h) say to each other, in the places of a link over a tunnel (p9/link.h).
 *
 * A client shows its handle once: it sends it through the channel and says RANGE_SHOW. Then it reads and writes by
 * offsets in the range. For each request the driver asks the kernel whether the handle it was shown is valid, is one of
 * its disk and has the right; what it says of first block and size is all that the driver believes. So no client
 * reaches a sector outside of a range that it was given, and a withdrawn range is refused from then on (ESTALE).
 */
#ifndef AMALGAM_USER_DISK_RANGE_H
#define AMALGAM_USER_DISK_RANGE_H

#include <stdint.h>

enum { RANGE_SHOW = 1, RANGE_READ, RANGE_WRITE, RANGE_FLUSH };

#define RANGE_SECTOR 512u
#define RANGE_PIECE  4096u /* bytes of a request, at most */

struct range_question {
    uint32_t kind, n; /* bytes: whole sectors */
    uint64_t at;      /* in the range, a multiple of a sector */
    uint8_t data[RANGE_PIECE];
};

struct range_answer {
    int32_t error;   /* 0 or a negative errno of the kernel's */
    uint32_t blocks; /* RANGE_SHOW: how many of 4 KiB it has */
    uint8_t data[RANGE_PIECE];
};

/* What a driver has of a client. */
struct range_client {
    int shown; /* the handle; -1: none */
};

struct disk;
/* Answer a question, which the client may change meanwhile; `tunnel` is the client's, `d` the disk, which nobody else
 * uses now. */
void range_answer(struct range_client *c, unsigned tunnel, struct disk *d, const struct range_question *q,
                  struct range_answer *a);
/* Give back what a client has shown. */
void range_forget(struct range_client *c);

#endif
