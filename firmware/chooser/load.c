/* SPDX-License-Identifier: MIT */
/* load.c - see load.h. ELF-64: System V ABI, chapters 4 and 5, of which a kernel's file has fixed sizes. */
#include "load.h"

#define GENUINE_INTEL 0x756e6547u /* "Genu" of "GenuineIntel" */
#define FEATURE_VMX   (1u << 5)
#define EXTENDED_SVM  (1u << 2)
#define PT_LOAD       1
#define MACHINE_X86   62

struct elf_header {
    u8 ident[16];
    u16 type, machine;
    u32 version;
    u64 entry, segments_at, sections_at;
    u32 flags;
    u16 size, segment_size, segments, section_size, sections, names;
};
struct elf_segment {
    u32 type, flags;
    u64 at, virtual, physical, in_file, in_memory, align;
};

enum module kernel_for(const struct processor *p)
{
    if (p->extended & EXTENDED_SVM)
        return MODULE_AMDV;
    return p->features & FEATURE_VMX || p->maker == GENUINE_INTEL ? MODULE_VMX : MODULE_AMDV;
}

static void copy(void *to, const void *from, u32 n)
{
    for (u32 i = 0; i < n; i++)
        ((u8 *)to)[i] = ((const u8 *)from)[i];
}

static bool inside(u64 at, u64 n, u64 begin, u64 end) { return at >= begin && at <= end && n <= end - at; }

static bool load_segment(const struct elf_segment *s, const u8 *elf, u32 size, u8 *memory)
{
    if (!inside(s->physical, s->in_memory, KERNELS_BEGIN, KERNELS_END) || !inside(s->at, s->in_file, 0, size) ||
        s->in_file > s->in_memory)
        return false;
    u8 *to = memory + (u32)s->physical;
    copy(to, elf + (u32)s->at, (u32)s->in_file);
    for (u32 i = (u32)s->in_file; i < (u32)s->in_memory; i++)
        to[i] = 0;
    return true;
}

u32 load_elf(const u8 *elf, u32 size, u8 *memory)
{
    static const u8 ident[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
    struct elf_header h;
    struct elf_segment s;
    if (size < sizeof(h))
        return 0;
    copy(&h, elf, sizeof(h));
    for (u32 i = 0; i < sizeof(ident); i++)
        if (h.ident[i] != ident[i])
            return 0;
    if (h.machine != MACHINE_X86 || h.segment_size != sizeof(s) || !inside(h.entry, 1, KERNELS_BEGIN, KERNELS_END) ||
        !inside(h.segments_at, h.segments * (u64)sizeof(s), 0, size))
        return 0;
    for (u32 i = 0; i < h.segments; i++) {
        copy(&s, elf + (u32)h.segments_at + i * sizeof(s), sizeof(s));
        if (s.type == PT_LOAD && !load_segment(&s, elf, size, memory))
            return 0;
    }
    return (u32)h.entry;
}
