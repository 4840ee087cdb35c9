/* SPDX-License-Identifier: MIT */
/* program.c - reads an ELF file (elf.h); see program.h. */
#include "program.h"

#include <errors.h>
#include <hal/space.h>
#include <string.h>

#include "elf.h"

#define ET_DYN    3
#define PT_LOAD   1
#define PT_INTERP 3
#define PF_X      1
#define PF_W      2

static const char *check_header(const struct elf_header *h, u64 size)
{
    static const u8 ident[] = { 0x7f, 'E', 'L', 'F', SPACE_ELF_CLASS, 1, 1 };
    if (memcmp(h->ident, ident, sizeof(ident)))
        return "the program is no " ELF_NAME " file";
    if (h->type != ET_DYN)
        return "the program is not position-independent (link it with -static-pie)";
    if (h->machine != SPACE_ELF_MACHINE)
        return "the program is for another processor";
    if (h->phentsize != sizeof(struct elf_segment) || h->phnum > 64 || h->phoff > size ||
        h->phnum * sizeof(struct elf_segment) > size - h->phoff)
        return "the program's headers lie outside its file";
    return NULL;
}

/* Add a PT_LOAD segment behind the last one. */
static const char *add_segment(struct program *p, const struct elf_segment *s, u64 size, u64 max)
{
    u64 skip = s->vaddr & (PAGE_SIZE - 1), at = s->vaddr - skip;
    if (s->filesz > s->memsz || s->offset > size || s->filesz > size - s->offset)
        return "a segment lies outside the program's file";
    if (s->vaddr > max || s->memsz > max - s->vaddr)
        return "the program does not fit into its memory";
    if (at < p->size)
        return "two segments share a page, or are not in order (link with -z separate-code)";
    if ((s->flags & (PF_W | PF_X)) == (PF_W | PF_X))
        return "a segment is writable and executable";
    if (p->n == PROGRAM_SEGMENTS)
        return "the program has more than 8 segments";
    p->segment[p->n++] = (struct program_segment){
        .at = at,
        .size = ALIGN_UP(skip + s->memsz, PAGE_SIZE),
        .file = s->offset,
        .file_size = s->filesz,
        .skip = skip,
        .rights = (s->flags & PF_W ? SPACE_WRITE : 0) | (s->flags & PF_X ? SPACE_EXEC : 0),
    };
    p->size = ALIGN_UP(s->vaddr + s->memsz, PAGE_SIZE);
    return NULL;
}

static const char *add_segments(struct program *p, const u8 *file, u64 size, u64 max, const struct elf_header *h)
{
    for (unsigned i = 0; i < h->phnum; i++) {
        struct elf_segment s;
        memcpy(&s, file + h->phoff + i * sizeof(s), sizeof(s));
        if (s.type == PT_INTERP)
            return "the program wants a dynamic linker (link it with -static-pie)";
        const char *why = s.type == PT_LOAD && s.memsz ? add_segment(p, &s, size, max) : NULL;
        if (why)
            return why;
    }
    return NULL;
}

/* Find the program headers in the loaded image: the program looks for PT_TLS there. */
static void find_headers(struct program *p, const struct elf_header *h)
{
    u64 length = h->phnum * sizeof(struct elf_segment);
    for (unsigned i = 0; i < p->n; i++) {
        const struct program_segment *s = &p->segment[i];
        if (h->phoff < s->file || h->phoff - s->file > s->file_size || length > s->file_size - (h->phoff - s->file))
            continue;
        p->headers = s->at + s->skip + (h->phoff - s->file);
        p->n_headers = h->phnum;
    }
}

static const char *check_entry(const struct program *p)
{
    for (unsigned i = 0; i < p->n; i++) {
        const struct program_segment *s = &p->segment[i];
        if (s->rights & SPACE_EXEC && p->entry - s->at < s->size)
            return NULL;
    }
    return "the program's entry is not in its code";
}

int program_parse(const void *file, u64 size, u64 max, struct program *p, const char **why)
{
    struct elf_header h;
    *p = (struct program){ 0 };
    *why = "the program is no " ELF_NAME " file";
    if (size < sizeof(h))
        return -ENOEXEC;
    memcpy(&h, file, sizeof(h));
    *why = check_header(&h, size);
    if (!*why)
        *why = add_segments(p, file, size, max, &h);
    if (*why)
        return -ENOEXEC;
    p->entry = h.entry;
    find_headers(p, &h);
    *why = check_entry(p);
    return *why ? -ENOEXEC : 0;
}
