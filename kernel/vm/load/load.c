/* SPDX-License-Identifier: MIT */
/*
 * load.c - guest_load() and the common part of all formats: memory ranges, command line, module, and the flat 32-bit
 * entry state of PVH and Multiboot.
 */
#include <bytes.h>
#include <string.h>
#include "loader.h"

#define IRET 0xcfu

/* Returns the end of a range's RAM in the guest's memory map: a page below the next range if they touch, so that no
 * buffer crosses. */
static u64 ram_end(const struct guest_memory *m, unsigned i)
{
    u64 end = m->range[i].gpa + m->range[i].size;

    return i + 1 < m->n && m->range[i + 1].gpa == end ? end - PAGE_SIZE : end;
}

const char *refuse_number(struct loader *l, const char *why, u32 number)
{
    char *to = l->r.refusal;
    if (!to || number > 99)
        return why;
    for (; (*to = *why); why++, to++)
        if (*why == '#') {
            *to++ = (char)('0' + number / 10);
            *to = (char)('0' + number % 10);
        }
    return l->r.refusal;
}

u64 load_low_end(const struct loader *l) { return ram_end(l->r.memory, 0); }

unsigned load_memory_map(const struct loader *l, u8 *to, unsigned stride)
{
    enum { RAM = 1, RESERVED = 2 };
    const struct guest_memory *m = l->r.memory;
    u64 base = 0;

    for (unsigned i = 0; i < 2 + m->n; i++, to += stride) {
        u64 end = i == 0 ? LOAD_ROM : i == 1 ? LOAD_HIGH : ram_end(m, i - 2);
        if (i > 2)
            base = m->range[i - 2].gpa;
        put64(to, base);
        put64(to + 8, end - base);
        put32(to + 16, i == 1 ? RESERVED : RAM);
        base = end;
    }
    return 2 + m->n;
}

const char *load_check_range(struct loader *l, u64 gpa, u64 size)
{
    if (!guest_ptr(l->r.memory, gpa, size))
        return refuse(l, -ENOMEM, "the image does not fit in the guest's memory");
    if (gpa < LOAD_HIGH && gpa + size > LOAD_ROM)
        return "the image wants memory between 639 KiB and 1 MiB, which is reserved";
    l->is_low |= gpa < LOAD_AREA_END;
    return NULL;
}

void load_place(struct loader *l, u64 gpa, u64 size, u64 from, u64 n)
{
    u8 *to = guest_ptr(l->r.memory, gpa, size);

    memcpy(to, (const u8 *)l->r.kernel + from, n);
    memset(to + n, 0, size - n);
}

const char *load_whole(struct loader *l, u64 gpa, u64 size, u64 from, u64 n)
{
    const char *why = load_check_range(l, gpa, size);

    if (why)
        return why;
    load_place(l, gpa, size, from, n);
    l->image_end = gpa + size;
    return NULL;
}

u64 load_behind(const struct loader *l) { return ALIGN_UP(MAX(l->image_end, (u64)LOAD_HIGH), PAGE_SIZE); }

const char *load_cmdline(struct loader *l, u32 max)
{
    size_t n = strlen(l->r.cmdline);

    if (n > max || n >= LOAD_CMDLINE_MAX)
        return refuse(l, -E2BIG, "the command line is longer than this kernel takes");
    if (l->is_low) {
        l->area = load_behind(l);
        l->low = guest_ptr(l->r.memory, l->area, LOAD_AREA_END);
        if (!l->low || l->area >= 4 * GIB)
            return refuse(l, -ENOMEM, "there is no memory behind the image for the boot information");
        l->image_end = l->area + LOAD_AREA_END;
    }
    memset(l->low + LOAD_GDT, 0, LOAD_AREA_END - LOAD_GDT);
    memcpy(l->low + LOAD_CMDLINE, l->r.cmdline, n);
    return NULL;
}

const char *load_initrd(struct loader *l, u64 limit)
{
    u64 size = l->r.initrd_size, top = MIN(load_low_end(l), limit);

    if (!size)
        return NULL;
    u64 at = ALIGN_DOWN(top - size, PAGE_SIZE);
    if (top < size || at < load_behind(l))
        return refuse(l, -ENOMEM,
                      "the initrd or modules do not fit between the kernel and the end of the guest's low memory");
    memcpy(guest_ptr(l->r.memory, at, size), l->r.initrd, size);
    l->initrd = at;
    return NULL;
}

const struct guest_entry load_flat32 = {
    .rflags = 2,
    LOAD_DEBUG,
    .cr0 = 0x11, /* PE, ET */
    .cs = { .selector = 0x8, .attributes = 0xc9b, .limit = 0xffffffff },
    .data = { .selector = 0x10, .attributes = 0xc93, .limit = 0xffffffff },
};

void load_enter(struct loader *l, const struct guest_entry *state, u64 rip)
{
    *l->e = *state;
    l->e->rip = rip;
}

static const char *load_raw(struct loader *l)
{
    const struct load_request *r = &l->r;
    const char *why = load_whole(l, r->entry, r->kernel_size, 0, r->kernel_size);

    if (why)
        return why;
    if (l->image_end > 4 * GIB)
        return "a raw image must lie below 4 GiB";
    load_enter(l, &load_flat32, r->entry);
    why = load_initrd(l, 4 * GIB);
    l->e->rsi = l->initrd;
    l->e->rdi = r->initrd_size;
    return why;
}

/* Write the remains of a BIOS: the size of memory, for each interrupt in real mode a handler that returns at once, and
 * at F000:FFF0, to where a kernel jumps that wants a reset, MOV AL, FEh; OUT 64h, AL; HLT. */
static void put_bios_data(u8 *low)
{
    static const u8 reset[] = { 0xb0, 0xfe, 0xe6, 0x64, 0xf4 };
    memcpy(low + LOAD_RESET, reset, sizeof(reset));
    for (unsigned vector = 0; vector < 256; vector++)
        put32(low + vector * 4, LOAD_ROM >> 4 << 16 | 1);
    put16(low + LOAD_BDA_EBDA, LOAD_ROM >> 4);
    put16(low + LOAD_BDA_MEMORY, LOAD_ROM / KIB);
    put16(low + LOAD_ROM, 1 | IRET << 8); /* the extended area begins with its size in KiB */
}

static const char *dispatch(struct loader *l)
{
    static const char *(*const formats[])(struct loader *) = {
        [SYS_BOOT_LINUX64] = load_linux64,      [SYS_BOOT_PVH] = load_pvh, [SYS_BOOT_MULTIBOOT1] = load_multiboot,
        [SYS_BOOT_MULTIBOOT2] = load_multiboot, [SYS_BOOT_RAW] = load_raw,
    };
    const struct load_request *r = &l->r;
    const struct guest_memory *m = r->memory;

    if (!r->kernel_size)
        return "there is no kernel image";
    l->low = guest_ptr(m, 0, 2 * MIB);
    if (!l->low || m->n > GUEST_RANGES || m->range[0].gpa)
        return "the guest needs at least 2 MiB of memory from address 0";
    if (r->rsdp && r->rsdp < LOAD_AREA_END)
        return "the RSDP lies below 64 KiB, which the loader uses";
    if (r->boot < SYS_BOOT_LINUX64 || r->boot > SYS_BOOT_RAW)
        return "unknown boot protocol";
    l->error = -ENOEXEC;
    put_bios_data(l->low);
    return formats[r->boot](l);
}

int guest_load(const struct load_request *r, struct guest_entry *e, const char **why)
{
    struct loader l = { .r = *r, .e = e, .error = -EINVAL, .image_start = ~0ul };
    const char *refused = dispatch(&l);

    if (why)
        *why = refused;
    return refused ? l.error : 0;
}
