/* SPDX-License-Identifier: MIT */
/*
 * elf32.h - reads and loads a native program's file: ELF for i386 (System V ABI, 4th edition, with the Intel386
 * supplement), linked at 0 with relative relocations only (-pie without PIC code), so that it runs at any address.
 *
 * A program header of type ELF32_SHARED says where data begins that all cores share (native/calls.h). It comes before
 * the header of thread-local variables, which only such a program may have.
 *
 * The file is checked once as a whole; all its numbers are bounded by its own size and by the memory that it gets.
 */
#ifndef AMALGAM_NATIVE_ELF32_H
#define AMALGAM_NATIVE_ELF32_H

#include <types.h>

#define ELF32_SEGMENTS 8
#define ELF32_SHARED   0x6053564du /* in the range for operating systems; user/openmp/start/program.lds */

struct elf32_image {
    u32 size;                       /* bytes in memory */
    u32 entry;                      /* offset of the first instruction */
    u32 relocations, n_relocations; /* offset and number */
    u32 shared;                     /* offset of the shared data, a page; 0: not a shared program */
    unsigned n;
    struct elf32_segment {
        u32 file, file_size, at;
    } segment[ELF32_SEGMENTS];
};

/* Read a file of `size` bytes for a program of at most `max` bytes. Returns 0, or -ENOEXEC with a constant sentence
 * in *why. Pure. */
int elf32_read(const void *file, u64 size, u32 max, struct elf32_image *image, const char **why);
/* Copy the program to `memory`, which is cleared and has room for image->size bytes, and relocate it. Returns 0, or
 * -ENOEXEC with *why. */
int elf32_load(const void *file, const struct elf32_image *image, u8 *memory, const char **why);

#endif
