/* SPDX-License-Identifier: MIT */
/*
 * elf.c - loads the segments of an x86 ELF file, 32 or 64 bits, to their physical addresses. The program headers are
 * walked twice: check all, then copy all.
 *
 * The two classes differ in the size of a word. Only words of a program header are read: in a 64-bit one p_flags is the
 * second half of the first word.
 */
#include <bytes.h>
#include <string.h>
#include "loader.h"

#define PT_LOAD      1
#define PT_NOTE      4
#define MAX_SEGMENTS 64
#define XEN          0x6e6558u /* name of Xen's notes */

struct elf {
    const u8 *file, *headers; /* program headers */
    unsigned n, stride;       /* number of headers, and bytes from one to the next */
    u8 word;                  /* 4 or 8 bytes */
    u32 note_type;            /* Xen note with the entry; 0: the entry is e_entry */
    u64 start;                /* e_entry, virtual; not with a note */
    u64 entry;                /* 0: not found yet */
};

enum pass { CHECK, COPY };

/* The words of a program header. */
enum { TYPE, OFFSET, VADDR, PADDR, FILESZ, MEMSZ, WORDS };

static u64 get_word(const struct elf *elf, const u8 *p) { return elf->word == 8 ? get64(p) : get32(p); }

static const char *read_header(const struct loader *l, struct elf *elf)
{
    const u8 *file = elf->file;
    u64 size = l->r.kernel_size;

    if (size < 64 || get32(file) != 0x464c457f || file[4] - 1u > 1 || file[5] != 1)
        return "the kernel is not an x86 ELF file";
    u16 machine = get16(file + 18);
    if (machine != 3 && machine != 62) /* EM_386, EM_X86_64 */
        return "the kernel is not an x86 ELF file";
    unsigned word = elf->word = (u8)(4 * file[4]);
    u64 at = get_word(elf, file + 24 + word);
    elf->start = get_word(elf, file + 24);
    if (!elf->note_type)
        elf->entry = elf->start;
    elf->stride = get16(file + 30 + 3 * word);
    elf->n = get16(file + 32 + 3 * word);
    if (elf->stride < 8 + 6 * word || elf->n > MAX_SEGMENTS || at > size || elf->n * elf->stride > size - at)
        return "the ELF file's program headers are malformed";
    elf->headers = file + at;
    return NULL;
}

/*
 * Find Xen's note of `type`. Returns the address in it, or 0. A note is (namesz, descsz, type, name, desc), with name
 * and desc padded to 4 bytes.
 */
static u64 find_note(const u8 *p, u64 size, u32 type)
{
    for (u64 at = 0; at + 12 <= size;) {
        u32 namesz = get32(p + at), descsz = get32(p + at + 4);
        u64 name = at + 12, desc = name + ALIGN_UP((u64)namesz, 4);
        if (desc + descsz > size)
            break;
        if (get32(p + at + 8) == type && namesz == 4 && get32(p + name) == XEN && descsz >= 4)
            return descsz >= 8 ? get64(p + desc) : get32(p + desc);
        at = desc + ALIGN_UP((u64)descsz, 4);
    }
    return 0;
}

/* Check or copy a segment; search notes for the entry. */
static const char *take_segment(struct loader *l, struct elf *elf, const u8 *ph, enum pass pass)
{
    u64 s[WORDS] = { 0 };

    for (unsigned w = 0; w < WORDS; w++)
        s[w] = get_word(elf, ph + w * elf->word);
    if ((u32)s[TYPE] != PT_LOAD && (u32)s[TYPE] != PT_NOTE)
        return NULL;
    if (s[OFFSET] > l->r.kernel_size || s[FILESZ] > l->r.kernel_size - s[OFFSET])
        return "an ELF segment ends beyond the file";
    if ((u32)s[TYPE] == PT_NOTE) {
        if (elf->note_type && !elf->entry)
            elf->entry = find_note(elf->file + s[OFFSET], s[FILESZ], elf->note_type);
        return NULL;
    }
    if (!s[MEMSZ])
        return NULL;
    if (s[MEMSZ] < s[FILESZ])
        return "an ELF segment is larger in the file than in memory";
    if (pass == COPY) {
        load_place(l, s[PADDR], s[MEMSZ], s[OFFSET], s[FILESZ]);
        return NULL;
    }
    if (!elf->note_type && elf->start - s[VADDR] < s[MEMSZ])
        elf->entry = elf->start - s[VADDR] + s[PADDR];
    l->image_start = MIN(l->image_start, s[PADDR]);
    l->image_end = MAX(l->image_end, s[PADDR] + s[MEMSZ]);
    return load_check_range(l, s[PADDR], s[MEMSZ]);
}

const char *load_elf(struct loader *l, u32 note_type, u64 *entry)
{
    struct elf elf = { .file = l->r.kernel, .note_type = note_type };
    const char *why = read_header(l, &elf);

    for (enum pass pass = CHECK; pass <= COPY; pass++) {
        for (unsigned i = 0; !why && i < elf.n; i++)
            why = take_segment(l, &elf, elf.headers + i * elf.stride, pass);
        if (!why && note_type && !elf.entry)
            why = "the ELF file has no PVH entry note";
    }
    *entry = elf.entry;
    return why || l->image_end ? why : "the ELF file has nothing to load";
}
