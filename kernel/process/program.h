/* SPDX-License-Identifier: MIT */
/*
 * program.h - a program as its file says it is: a static, position-independent ELF, of the processor's class,
 * whose segments lie on pages of their own.  Nothing of the file is believed before it was checked.
 */
#ifndef AMALGAM_PROCESS_PROGRAM_H
#define AMALGAM_PROCESS_PROGRAM_H

#include <types.h>

#define PROGRAM_SEGMENTS 8

struct program_segment {
    u64 at, size;        /* pages, from the image's start */
    u64 file, file_size; /* bytes of the file that begin at `skip` bytes in; the rest is zero */
    u64 skip;
    unsigned rights; /* SPACE_* */
};

struct program {
    u64 size;    /* pages from the image's start to its end, in bytes */
    u64 entry;   /* from the image's start */
    u64 headers; /* program headers, from the image's start; 0: not in it */
    u16 n_headers;
    u16 n;
    struct program_segment segment[PROGRAM_SEGMENTS]; /* ascending, disjoint */
};

/* Check the file of `size` bytes, at most `max` bytes as an image, and fill *p; 0, or -ENOEXEC with `why` pointing at a
 * constant sentence. Pure. */
int program_parse(const void *file, u64 size, u64 max, struct program *p, const char **why);

#endif
