/* SPDX-License-Identifier: MIT */
/*
 * elf.h - the headers of an ELF file that program.c reads (System V ABI, chapter 4; ELF-64 Object File Format 1.5).
 * SPACE_ELF_CLASS, the class of the processor's programs, selects words of 32 or of 64 bits.
 */
#ifndef AMALGAM_PROCESS_ELF_H
#define AMALGAM_PROCESS_ELF_H

#include <hal/space.h>
#include <types.h>

#define ELFCLASS32 1
#define ELFCLASS64 2

#if SPACE_ELF_CLASS == ELFCLASS64
#define ELF_NAME "ELF64"
typedef u64 elf_word_t;
struct elf_segment {
    u32 type, flags;
    elf_word_t offset, vaddr, paddr, filesz, memsz, align;
};
_Static_assert(sizeof(struct elf_segment) == 56, "ELF-64");
#else
#define ELF_NAME "ELF32"
typedef u32 elf_word_t;
struct elf_segment {
    u32 type;
    elf_word_t offset, vaddr, paddr, filesz, memsz;
    u32 flags;
    elf_word_t align;
};
_Static_assert(sizeof(struct elf_segment) == 32, "ELF-32");
#endif

struct elf_header {
    u8 ident[16];
    u16 type, machine;
    u32 version;
    elf_word_t entry, phoff, shoff;
    u32 flags;
    u16 ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};
_Static_assert(sizeof(struct elf_header) == 40 + 3 * sizeof(elf_word_t), "ELF");

#endif
