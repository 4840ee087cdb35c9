/* SPDX-License-Identifier: MIT */
/* program_image.h - a small program file: headers and constants, code, data with zeroes behind it. ELF64, or ELF32
 * where the port's programs are. */
#ifndef AMALGAM_HOST_PROGRAM_IMAGE_H
#define AMALGAM_HOST_PROGRAM_IMAGE_H

#include <bytes.h>
#include <hal/space.h>
#include <string.h>

#define PROGRAM_FILE    0x2800u
#define PROGRAM_HEADERS 3u
/* Where the members of the header and of a program header are, and the size of both; `WORD` bytes an address. */
#if SPACE_ELF_CLASS == 2
#define ELF_NAME "ELF64"
enum { WORD = 8, EH_ENTRY = 24, EH_PHOFF = 32, EH_PHENTSIZE = 54, EH_PHNUM = 56, EH_SIZE = 64, PH_SIZE = 56 };
enum { PH_TYPE = 0, PH_FLAGS = 4, PH_OFFSET = 8, PH_VADDR = 16, PH_FILESZ = 32, PH_MEMSZ = 40 };
#else
#define ELF_NAME "ELF32"
enum { WORD = 4, EH_ENTRY = 24, EH_PHOFF = 28, EH_PHENTSIZE = 42, EH_PHNUM = 44, EH_SIZE = 52, PH_SIZE = 32 };
enum { PH_TYPE = 0, PH_FLAGS = 24, PH_OFFSET = 4, PH_VADDR = 8, PH_FILESZ = 16, PH_MEMSZ = 20 };
#endif
#define PROGRAM_AT(n) (EH_SIZE + (n)*PH_SIZE) /* of segment n's program header */

static inline void put_word(u8 *p, u64 value)
{
    for (unsigned i = 0; i < WORD; i++)
        p[i] = (u8)(value >> 8 * i);
}

static inline void program_segment(u8 *f, unsigned n, u32 flags, u64 offset, u64 vaddr, u64 filesz, u64 memsz)
{
    u8 *p = f + PROGRAM_AT(n);
    put32(p + PH_TYPE, 1);
    put32(p + PH_FLAGS, flags);
    put_word(p + PH_OFFSET, offset);
    put_word(p + PH_VADDR, vaddr);
    put_word(p + PH_FILESZ, filesz);
    put_word(p + PH_MEMSZ, memsz);
}

/* PROGRAM_FILE bytes. */
static inline void program_image(u8 *f)
{
    static const u8 ident[] = { 0x7f, 'E', 'L', 'F', SPACE_ELF_CLASS, 1, 1 };
    memset(f, 0, PROGRAM_FILE);
    memcpy(f, ident, sizeof(ident));
    put16(f + 16, 3);
    put16(f + 18, SPACE_ELF_MACHINE);
    put_word(f + EH_ENTRY, 0x1010);
    put_word(f + EH_PHOFF, EH_SIZE);
    put16(f + EH_PHENTSIZE, PH_SIZE);
    put16(f + EH_PHNUM, PROGRAM_HEADERS);
    program_segment(f, 0, 4, 0, 0, 0x300, 0x300);
    program_segment(f, 1, 5, 0x1000, 0x1000, 0x800, 0x800);
    program_segment(f, 2, 6, 0x2100, 0x3100, 0x600, 0x2000);
}

#endif
