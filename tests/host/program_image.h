/* SPDX-License-Identifier: MIT */
/* program_image.h - a small program file: headers and constants, code, data with zeroes behind it. */
#ifndef AMALGAM_HOST_PROGRAM_IMAGE_H
#define AMALGAM_HOST_PROGRAM_IMAGE_H

#include <bytes.h>
#include <string.h>

#define PROGRAM_FILE    0x2800u
#define PROGRAM_HEADERS 3u
#define PROGRAM_AT(n)   (64 + (n)*56) /* of segment n's program header */
enum { PH_TYPE = 0, PH_FLAGS = 4, PH_OFFSET = 8, PH_VADDR = 16, PH_FILESZ = 32, PH_MEMSZ = 40 };

static inline void program_segment(u8 *f, unsigned n, u32 flags, u64 offset, u64 vaddr, u64 filesz, u64 memsz)
{
    u8 *p = f + PROGRAM_AT(n);
    put32(p + PH_TYPE, 1);
    put32(p + PH_FLAGS, flags);
    put64(p + PH_OFFSET, offset);
    put64(p + PH_VADDR, vaddr);
    put64(p + PH_FILESZ, filesz);
    put64(p + PH_MEMSZ, memsz);
}

/* PROGRAM_FILE bytes. */
static inline void program_image(u8 *f)
{
    static const u8 ident[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
    memset(f, 0, PROGRAM_FILE);
    memcpy(f, ident, sizeof(ident));
    put16(f + 16, 3);
    put16(f + 18, 62);
    put64(f + 24, 0x1010);
    put64(f + 32, 64);
    put16(f + 54, 56);
    put16(f + 56, PROGRAM_HEADERS);
    program_segment(f, 0, 4, 0, 0, 0x300, 0x300);
    program_segment(f, 1, 5, 0x1000, 0x1000, 0x800, 0x800);
    program_segment(f, 2, 6, 0x2100, 0x3100, 0x600, 0x2000);
}

#endif
