/* SPDX-License-Identifier: MIT */
/* elf32.c - see elf32.h. */
#include "elf32.h"

#include <bytes.h>
#include <errors.h>
#include <string.h>

#define ET_DYN         3
#define EM_386         3
#define PT_LOAD        1
#define PT_DYNAMIC     2
#define PT_INTERP      3
#define PT_TLS         7
#define DT_NULL        0
#define DT_NEEDED      1
#define DT_REL         17
#define DT_RELSZ       18
#define R_386_RELATIVE 8
#define MAX_HEADERS    64

struct elf_header {
    u8 ident[16];
    u16 type, machine;
    u32 version, entry, phoff, shoff, flags;
    u16 ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};

struct elf_segment {
    u32 type, offset, vaddr, paddr, filesz, memsz, flags, align;
};

struct relocation {
    u32 offset, info;
};

_Static_assert(sizeof(struct elf_header) == 52 && sizeof(struct elf_segment) == 32, "ELF-32");

static const char *check_header(const struct elf_header *h, u64 size)
{
    static const u8 ident[] = { 0x7f, 'E', 'L', 'F', 1, 1, 1 };
    if (memcmp(h->ident, ident, sizeof(ident)))
        return "the program is no ELF32 file";
    if (h->type != ET_DYN || h->machine != EM_386)
        return "the program is not a position-independent one for i386 (make it with amalgam cc --rcce or --openmp)";
    if (h->phentsize != sizeof(struct elf_segment) || h->phnum > MAX_HEADERS || h->phoff > size ||
        h->phnum * sizeof(struct elf_segment) > size - h->phoff)
        return "the program's headers lie outside its file";
    return NULL;
}

static const char *add_segment(struct elf32_image *m, const struct elf_segment *s, u64 size, u32 max)
{
    if (s->filesz > s->memsz || s->offset > size || s->filesz > size - s->offset)
        return "a segment lies outside the program's file";
    if (s->vaddr > max || s->memsz > max - s->vaddr)
        return "the program does not fit into its memory";
    if (s->vaddr < m->size)
        return "two segments overlap or are not in order";
    if (m->n == ELF32_SEGMENTS)
        return "the program has more than 8 segments";
    m->segment[m->n++] = (struct elf32_segment){ s->offset, s->filesz, s->vaddr };
    m->size = s->vaddr + s->memsz;
    return NULL;
}

/* Read the tags of the dynamic section from the file. */
static const char *read_dynamic(struct elf32_image *m, const u8 *file, const struct elf_segment *s, u64 size)
{
    u32 bytes = 0;
    if (s->offset > size || s->filesz > size - s->offset)
        return "the program's dynamic section lies outside its file";
    for (u32 at = 0; at + 8 <= s->filesz; at += 8) {
        u32 tag = get32(file + s->offset + at), value = get32(file + s->offset + at + 4);
        if (tag == DT_NULL)
            break;
        if (tag == DT_NEEDED)
            return "the program needs shared libraries";
        if (tag == DT_REL)
            m->relocations = value;
        if (tag == DT_RELSZ)
            bytes = value;
    }
    m->n_relocations = bytes / sizeof(struct relocation);
    return NULL;
}

static const char *read_header(struct elf32_image *m, const u8 *file, const struct elf_segment *s, u64 size, u32 max)
{
    if (s->type == PT_LOAD && s->memsz)
        return add_segment(m, s, size, max);
    if (s->type == PT_DYNAMIC)
        return read_dynamic(m, file, s, size);
    if (s->type == ELF32_SHARED)
        m->shared = s->vaddr;
    if (s->type == PT_TLS && !m->shared)
        return "the program has thread-local variables: it has one thread, leave out _Thread_local";
    return s->type == PT_INTERP ? "the program wants a dynamic linker" : NULL;
}

int elf32_read(const void *file, u64 size, u32 max, struct elf32_image *m, const char **why)
{
    struct elf_header h;
    struct elf_segment s;
    *m = (struct elf32_image){ 0 };
    *why = "the program is no ELF32 file";
    if (size < sizeof(h))
        return -ENOEXEC;
    memcpy(&h, file, sizeof(h));
    *why = check_header(&h, size);
    for (unsigned i = 0; i < h.phnum && !*why; i++) {
        memcpy(&s, (const u8 *)file + h.phoff + i * sizeof(s), sizeof(s));
        *why = read_header(m, file, &s, size, max);
    }
    if (!*why && (!IS_ALIGNED(m->shared, PAGE_SIZE) || m->shared > m->size))
        *why = "the program's shared data begin in the middle of a page, or outside of it";
    if (!*why && h.entry >= m->size)
        *why = "the program's entry is not in it";
    if (!*why &&
        (m->relocations > m->size || m->n_relocations > (m->size - m->relocations) / sizeof(struct relocation)))
        *why = "the program's relocations lie outside of it";
    m->entry = h.entry;
    return *why ? -ENOEXEC : 0;
}

int elf32_load(const void *file, const struct elf32_image *m, u8 *memory, const char **why)
{
    for (unsigned i = 0; i < m->n; i++)
        memcpy(memory + m->segment[i].at, (const u8 *)file + m->segment[i].file, m->segment[i].file_size);
    for (u32 i = 0; i < m->n_relocations; i++) {
        struct relocation r;
        memcpy(&r, memory + m->relocations + i * sizeof(r), sizeof(r));
        if ((r.info & 0xff) != R_386_RELATIVE || m->size < 4 || r.offset > m->size - 4) {
            *why = "the program has a relocation that is not relative, or outside of it";
            return -ENOEXEC;
        }
        put32(memory + r.offset, get32(memory + r.offset) + (u32)(uintptr_t)memory);
    }
    return 0;
}
