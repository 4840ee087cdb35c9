/* SPDX-License-Identifier: MIT */
/*
 * elf32.h - a native program's file: ELF for i386 (System V ABI, 4th edition, with the Intel386 supplement), linked at
 * 0 with all its relocations relative (-pie without PIC code), so that it runs wherever it is put.
 *
 * A program header of type ELF32_SHARED says from where on memory is data that all cores share (native/calls.h); it
 * stands before the one of thread-local variables, which only such a program may have.
 *
 * The file is checked once as a whole; whatever it says is bounded by its own size and by the memory that it gets.
 */
#ifndef AMALGAM_NATIVE_ELF32_H
#define AMALGAM_NATIVE_ELF32_H

#include <types.h>

#define ELF32_SEGMENTS 8
#define ELF32_SHARED   0x6053564du /* of those for systems; user/openmp/start/program.lds */

struct elf32_image {
    u32 size;                       /* bytes in memory */
    u32 entry;                      /* of the first instruction, from the start */
    u32 relocations, n_relocations; /* where, from the start */
    u32 shared;                     /* a page: data begins, from the start; 0: this is no shared program */
    unsigned n;
    struct elf32_segment {
        u32 file, file_size, at;
    } segment[ELF32_SEGMENTS];
};

/* Read a file of `size` bytes for a program of at most `max`. Returns 0 or -ENOEXEC, with `*why`, a constant sentence.
 * Pure. */
int elf32_read(const void *file, u64 size, u32 max, struct elf32_image *image, const char **why);
/* Copy it to `memory`, which is cleared and has room for image->size bytes, and relocate it. 0, or -ENOEXEC and `*why`.
 */
int elf32_load(const void *file, const struct elf32_image *image, u8 *memory, const char **why);

#endif
