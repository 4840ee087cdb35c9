/* SPDX-License-Identifier: MIT */
/*
 * program.h - the description of a program, parsed from its file: a static, position-independent ELF of the
 * processor's class, whose segments share no page. The file is not trusted: every field is checked before it is used.
 */
#ifndef AMALGAM_PROCESS_PROGRAM_H
#define AMALGAM_PROCESS_PROGRAM_H

#include <types.h>

#define PROGRAM_SEGMENTS 8

struct program_segment {
    u64 at, size;        /* whole pages: offset from the image's start, and size, in bytes */
    u64 file, file_size; /* the part of the file to copy to at + skip; the rest is zero */
    u64 skip;
    unsigned rights; /* SPACE_* */
};

struct program {
    u64 size;    /* of the image in bytes, whole pages */
    u64 entry;   /* offset in the image */
    u64 headers; /* offset of the program headers in the image; 0: they are not loaded */
    u16 n_headers;
    u16 n;
    struct program_segment segment[PROGRAM_SEGMENTS]; /* ascending, disjoint */
};

/* Check the file of `size` bytes, whose image may have `max` bytes, and fill *p. Returns 0, or -ENOEXEC with *why set
 * to a constant sentence. Pure. */
int program_parse(const void *file, u64 size, u64 max, struct program *p, const char **why);

#endif
