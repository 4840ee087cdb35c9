/* SPDX-License-Identifier: MIT */
/*
 * pvh.c - the start information of a PVH entry (Xen's public/arch-x86/hvm/start_info.h
 * describes it; QEMU's -kernel fills it).  Version 1 brought the memory map, without
 * which we cannot start.
 */
#include <arch/boot_parse.h>
#include <bytes.h>
#include <errors.h>
#include <string.h>

struct pvh_start_info {
    u32 magic, version, flags, n_modules;
    u64 modules, cmdline, rsdp;
    u64 memmap; /* from version 1 on */
    u32 n_memmap, reserved;
};
struct pvh_module {
    u64 base, size, cmdline, reserved;
};
struct pvh_region {
    u64 base, size;
    u32 type, reserved;
};
_Static_assert(sizeof(struct pvh_start_info) == 56 && offsetof(struct pvh_start_info, memmap) == 40, "layout");
_Static_assert(sizeof(struct pvh_module) == 32, "layout");
_Static_assert(sizeof(struct pvh_region) == 24, "layout");

static __init_text int fetch(phys_map_fn map, paddr_t pa, void *to, size_t size)
{
    const void *from = pa + size < pa ? NULL : map(pa, size);
    if (!from)
        return -EFAULT;
    memcpy(to, from, size);
    return 0;
}

static __init_text int read_cmdline(paddr_t pa, phys_map_fn map, struct boot_info *bi)
{
    if (!pa)
        return 0;
    for (size_t i = 0; i < sizeof(bi->cmdline) - 1; i++) { /* byte by byte: only the NUL says where it ends */
        int r = fetch(map, pa + i, &bi->cmdline[i], 1);
        if (r)
            return r;
        if (!bi->cmdline[i])
            break;
    }
    bi->cmdline[sizeof(bi->cmdline) - 1] = 0;
    return 0;
}

__init_text int pvh_parse(paddr_t start_info, phys_map_fn map, struct boot_info *bi)
{
    struct pvh_start_info si;
    int r;

    memset(bi, 0, sizeof(*bi));
    bi->loader = "PVH";
    if ((r = fetch(map, start_info, &si, sizeof(si))))
        return r;
    if (si.magic != PVH_MAGIC || si.version < 1)
        return -EINVAL;
    bi->rsdp = si.rsdp;
    for (u32 i = 0; i < si.n_memmap; i++) {
        struct pvh_region e;
        if ((r = fetch(map, si.memmap + (u64)i * sizeof(e), &e, sizeof(e))) ||
            (r = boot_info_add(bi, e.base, e.size, boot_e820_type(e.type))))
            return r;
    }
    if (si.n_modules) {
        struct pvh_module m;
        if ((r = fetch(map, si.modules, &m, sizeof(m))))
            return r;
        if (m.base + m.size < m.base)
            return -EINVAL;
        bi->system_base = m.base;
        bi->system_size = m.size;
    }
    return read_cmdline(si.cmdline, map, bi);
}
