/* SPDX-License-Identifier: MIT */
/*
 * load.c - guest_load() and what all formats need: where memory is, the command
 * line, the module, the flat 32-bit entry state that PVH and Multiboot agree on.
 */
#include <string.h>
#include "loader.h"

u64 load_low_end(const struct loader *l) { return l->r->memory->range[0].size; }

unsigned load_memory_map(const struct loader *l, u8 *to, unsigned stride)
{
    enum { RAM = 1, RESERVED = 2 };
    const struct guest_memory *m = l->r->memory;
    const struct {
        u64 base, size;
        u32 type;
    } map[] = {
        { 0, LOAD_ROM, RAM },
        { LOAD_ROM, LOAD_HIGH - LOAD_ROM, RESERVED },
        { LOAD_HIGH, load_low_end(l) - LOAD_HIGH, RAM },
        { m->range[1].gpa, m->range[1].size, RAM },
    };
    unsigned n = 2 + m->n; /* the second range is not always there */

    for (unsigned i = 0; i < n; i++)
        memcpy(to + i * stride, &map[i], 20);
    return n;
}

int load_check_range(struct loader *l, u64 gpa, u64 size)
{
    if (!guest_ptr(l->r->memory, gpa, size))
        return refuse(l, -ENOMEM, "the image does not fit in the guest's memory");
    if (gpa < LOAD_AREA_END && l->r->boot != SYS_BOOT_RAW)
        return refuse(l, -ENOEXEC, "the image wants memory below 64 KiB, which the loader uses");
    if (gpa < LOAD_HIGH && gpa + size > LOAD_ROM)
        return refuse(l, -ENOEXEC, "the image wants memory between 640 KiB and 1 MiB, which is reserved");
    return 0;
}

void *load_area(struct loader *l, gpa_t gpa, u64 size)
{
    void *p = guest_ptr(l->r->memory, gpa, size); /* guest_load() made sure of 1 MiB */
    return memset(p, 0, size);
}

u8 *load_info(struct loader *l) { return load_area(l, LOAD_INFO, PAGE_SIZE); }

int load_cmdline(struct loader *l, u64 max)
{
    const char *text = l->r->cmdline;
    u64 n = strlen(text) + 1;

    if (n > MIN(max, (u64)LOAD_CMDLINE_MAX))
        return refuse(l, -E2BIG, "the command line is longer than this kernel takes");
    memcpy(load_area(l, LOAD_CMDLINE, n), text, n);
    return 0;
}

int load_initrd(struct loader *l, u64 limit)
{
    u64 size = l->r->initrd_size, top = MIN(load_low_end(l), limit);

    if (!size)
        return 0;
    u64 floor = ALIGN_UP(MAX(l->image_end, (u64)LOAD_HIGH), PAGE_SIZE);
    u64 at = ALIGN_DOWN(top - size, PAGE_SIZE);
    if (top < size || at < floor)
        return refuse(l, -ENOMEM, "the initrd does not fit between the kernel and the end of the guest's low memory");
    memcpy(guest_ptr(l->r->memory, at, size), l->r->initrd, size);
    l->initrd = at;
    return 0;
}

const struct guest_entry load_flat32 = {
    .rflags = 2,
    .cr0 = 0x11, /* PE, ET */
    .cs = { .selector = 0x8, .attributes = 0xc9b, .limit = 0xffffffff },
    .data = { .selector = 0x10, .attributes = 0xc93, .limit = 0xffffffff },
    .tr = LOAD_TASK,
    .ldtr = LOAD_LOCAL,
};

void load_enter(struct loader *l, const struct guest_entry *state, u64 rip)
{
    *l->e = *state;
    l->e->rip = rip;
}

static int load_raw(struct loader *l)
{
    const struct load_request *r = l->r;
    int err = load_check_range(l, r->entry, r->kernel_size);

    if (err)
        return err;
    if (r->entry + r->kernel_size > 4 * GIB)
        return refuse(l, -ENOEXEC, "a raw image must lie below 4 GiB");
    l->image_end = r->entry + r->kernel_size;
    err = load_initrd(l, 4 * GIB);
    if (err)
        return err;
    memcpy(guest_ptr(r->memory, r->entry, r->kernel_size), r->kernel, r->kernel_size);
    load_enter(l, &load_flat32, r->entry);
    l->e->rsi = l->initrd;
    l->e->rdi = r->initrd_size;
    return 0;
}

static int dispatch(struct loader *l)
{
    const struct guest_memory *m = l->r->memory;

    if (!l->r->kernel_size)
        return refuse(l, -EINVAL, "there is no kernel image");
    if (!m->n || m->n > 2 || m->range[0].gpa || m->range[0].size < 2 * MIB)
        return refuse(l, -EINVAL, "the guest needs at least 2 MiB of memory from address 0");
    if (l->r->rsdp && l->r->rsdp < LOAD_AREA_END)
        return refuse(l, -EINVAL, "the RSDP lies below 64 KiB, which the loader uses");
    switch (l->r->boot) {
    case SYS_BOOT_LINUX64: return load_linux64(l);
    case SYS_BOOT_PVH: return load_pvh(l);
    case SYS_BOOT_MULTIBOOT1:
    case SYS_BOOT_MULTIBOOT2: return load_multiboot(l);
    case SYS_BOOT_RAW: return load_raw(l);
    default: return refuse(l, -EINVAL, "unknown boot protocol");
    }
}

int guest_load(const struct load_request *r, struct guest_entry *e, const char **why)
{
    struct loader l = { .r = r, .e = e };

    int err = dispatch(&l);
    if (why)
        *why = err ? l.why : NULL;
    return err;
}
