/* SPDX-License-Identifier: MIT */
/*
 * elf.c - segments of an x86 ELF file, 32 or 64 bits, to their physical addresses.
 * Two passes over the program headers: check all, then copy all.
 */
#include <bytes.h>
#include <string.h>
#include "loader.h"

#define PT_LOAD      1
#define PT_NOTE      4
#define MAX_SEGMENTS 64

struct segment {
    u32 type;
    u64 offset, paddr, filesz, memsz;
};

static bool is_64(const u8 *elf) { return elf[4] == 2; }

static void read_segment(const u8 *elf, const u8 *ph, struct segment *s)
{
    s->type = get32(ph);
    if (is_64(elf)) {
        s->offset = get64(ph + 8);
        s->paddr = get64(ph + 24);
        s->filesz = get64(ph + 32);
        s->memsz = get64(ph + 40);
    } else {
        s->offset = get32(ph + 4);
        s->paddr = get32(ph + 12);
        s->filesz = get32(ph + 16);
        s->memsz = get32(ph + 20);
    }
}

/* The first program header, with count and stride; NULL (and the reason) when this is no ELF for us. */
static const u8 *program_headers(struct loader *l, unsigned *n, unsigned *stride)
{
    const u8 *elf = l->r->kernel;
    u64 size = l->r->kernel_size, at;

    l->why = "the kernel is not an x86 ELF file";
    if (size < 64 ||
        memcmp(elf,
               "\x7f"
               "ELF",
               4) ||
        (elf[4] != 1 && elf[4] != 2) || elf[5] != 1)
        return NULL;
    u16 machine = get16(elf + 18);
    if (machine != 3 && machine != 62) /* EM_386, EM_X86_64 */
        return NULL;
    at = is_64(elf) ? get64(elf + 32) : get32(elf + 28);
    *stride = get16(elf + (is_64(elf) ? 54 : 42));
    *n = get16(elf + (is_64(elf) ? 56 : 44));
    l->why = "the ELF file's program headers are malformed";
    if (*stride < (is_64(elf) ? 56u : 32u) || *n > MAX_SEGMENTS || at > size || (u64)*n * *stride > size - at)
        return NULL;
    l->why = NULL;
    return elf + at;
}

/* A note is (namesz, descsz, type, name, desc), name and desc padded to 4 bytes. */
static bool find_note(const u8 *p, u64 size, u32 type, u64 *value)
{
    for (u64 at = 0; at + 12 <= size;) {
        u32 namesz = get32(p + at), descsz = get32(p + at + 4);
        u64 name = at + 12, desc = name + ALIGN_UP((u64)namesz, 4), end = desc + ALIGN_UP((u64)descsz, 4);
        if (desc + descsz > size)
            return false;
        if (get32(p + at + 8) == type && namesz == 4 && !memcmp(p + name, "Xen", 4) && descsz >= 4) {
            *value = descsz >= 8 ? get64(p + desc) : get32(p + desc);
            return true;
        }
        at = end;
    }
    return false;
}

static int check_segment(struct loader *l, const struct segment *s)
{
    if (s->offset > l->r->kernel_size || s->filesz > l->r->kernel_size - s->offset)
        return refuse(l, -ENOEXEC, "an ELF segment ends beyond the file");
    if (s->type != PT_LOAD || !s->memsz)
        return 0;
    if (s->memsz < s->filesz)
        return refuse(l, -ENOEXEC, "an ELF segment is larger in the file than in memory");
    int err = load_check_range(l, s->paddr, s->memsz);
    if (!err)
        l->image_end = MAX(l->image_end, s->paddr + s->memsz);
    return err;
}

int load_elf(struct loader *l, u32 note_type, u64 *note, u64 *entry)
{
    const u8 *elf = l->r->kernel;
    unsigned n, stride;
    const u8 *ph = program_headers(l, &n, &stride);
    bool found = !note_type;
    struct segment s;

    if (!ph)
        return -ENOEXEC;
    for (unsigned i = 0; i < n; i++) {
        read_segment(elf, ph + i * stride, &s);
        if (s.type != PT_LOAD && s.type != PT_NOTE)
            continue;
        int err = check_segment(l, &s);
        if (err)
            return err;
        if (s.type == PT_NOTE && !found)
            found = find_note(elf + s.offset, s.filesz, note_type, note);
    }
    if (!found)
        return refuse(l, -ENOEXEC, "the ELF file has no PVH entry note");
    if (!l->image_end)
        return refuse(l, -ENOEXEC, "the ELF file has nothing to load");
    *entry = is_64(elf) ? get64(elf + 24) : get32(elf + 24);
    for (unsigned i = 0; i < n; i++) {
        read_segment(elf, ph + i * stride, &s);
        if (s.type != PT_LOAD || !s.memsz)
            continue;
        u8 *to = guest_ptr(l->r->memory, s.paddr, s.memsz);
        memcpy(to, elf + s.offset, s.filesz);
        memset(to + s.filesz, 0, s.memsz - s.filesz);
    }
    return 0;
}
