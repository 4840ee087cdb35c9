/* SPDX-License-Identifier: MIT */
/*
 * elf_sections.c - gives a Multiboot kernel the sections of its ELF file, as its debugger or unwinder wants them: what
 * no segment has loaded (symbols, strings, debug information) goes behind the image, and so does a copy of the section
 * headers that says where. Both versions of Multiboot have the headers' number, size and place.
 *
 * The file is not trusted. If its headers are malformed, or memory is short, no sections are given.
 */
#include <bytes.h>
#include <string.h>
#include "loader.h"

#define SHT_NOBITS 8

/* A word of the file: 4 or 8 bytes. */
static __noinline u64 get_word(const u8 *p, unsigned word) { return word == 8 ? get64(p) : get32(p); }

/* Copy `n` bytes of the file behind the image. Returns where, 0: they are not in the file, or there is no room. */
static gpa_t append(struct loader *l, u64 from, u64 n)
{
    gpa_t at = load_behind(l);
    if (from > l->r.kernel_size || n > l->r.kernel_size - from || at >= 4 * GIB || !guest_ptr(l->r.memory, at, n))
        return 0;
    load_place(l, at, n, from, n);
    l->image_end = at + n;
    return at;
}

/* A section header has type at 4; address, offset and length are words, at 12 or, if these are 8 bytes, at 16. */
void load_sections(struct loader *l)
{
    const u8 *file = l->r.kernel;
    unsigned word = 4 * file[4], first = 8 + word, size = 16 + 6 * word;
    const u8 *counts = file + 34 + 3 * word; /* e_shentsize, e_shnum, e_shstrndx */
    struct load_sections *s = &l->sections;
    s->size = size;
    s->n = get16(counts + 2);
    s->names = get16(counts + 4);
    if (get16(counts) == size && s->n <= LOAD_SECTIONS_MAX)
        s->at = (u32)append(l, get_word(file + 24 + 2 * word, word), s->n * size);
    u8 *h = guest_ptr(l->r.memory, s->at, s->n * size);
    if (!s->at || !h)
        s->n = 0;
    for (unsigned i = 0; i < s->n; i++, h += size) {
        u64 length = get_word(h + first + 2 * word, word);
        if (get_word(h + first, word) || !length || get32(h + 4) == SHT_NOBITS)
            continue;
        u64 at = append(l, get_word(h + first + word, word), length);
        memcpy(h + first, &at, word);
    }
}
