/* SPDX-License-Identifier: MIT */
/*
 * pvh.c - reads the start information of a PVH entry (Xen's public/arch-x86/hvm/start_info.h; QEMU's -kernel fills it).
 * Version 1 has the memory map, without which the kernel cannot start.
 */
#include <arch/boot_parse.h>
#include <bytes.h>
#include <errors.h>
#include <string.h>

/* Offsets in hvm_start_info, version 1. Only address and size of a module, at the start of its entry, are used. */
enum {
    SI_VERSION = 4,
    SI_N_MODULES = 12,
    SI_MODULES = 16,
    SI_CMDLINE = 24,
    SI_RSDP = 32,
    SI_MEMMAP = 40,
    SI_N_MEMMAP = 48,
    SI_SIZE = 56,
    MODULE_SIZE = 32,
};

static __init_text const u8 *reach(phys_map_fn map, paddr_t pa, size_t size)
{
    return pa + size < pa ? NULL : map(pa, size);
}

static __init_text int read_cmdline(paddr_t pa, phys_map_fn map, struct boot_info *bi)
{
    for (size_t i = 0; pa && i < sizeof(bi->cmdline) - 1;
         i++) { /* byte by byte, because only the NUL says where it ends */
        const u8 *c = reach(map, pa + i, 1);
        if (!c)
            return -EFAULT;
        bi->cmdline[i] = (char)*c;
        if (!*c)
            break;
    }
    return 0; /* the last byte is 0 */
}

__init_text int pvh_parse(paddr_t start_info, phys_map_fn map, struct boot_info *bi)
{
    const u8 *si = reach(map, start_info, SI_SIZE);

    memset(bi, 0, sizeof(*bi));
    bi->loader = "PVH";
    if (!si)
        return -EFAULT;
    if (get32(si) != PVH_MAGIC || get32(si + SI_VERSION) < 1)
        return -EINVAL;
    bi->rsdp = get64(si + SI_RSDP);
    for (u32 i = 0; i < get32(si + SI_N_MEMMAP); i++) {
        const u8 *e = reach(map, get64(si + SI_MEMMAP) + (u64)i * BOOT_E820_SIZE, BOOT_E820_SIZE);
        int r = e ? boot_info_add(bi, e) : -EFAULT;
        if (r)
            return r;
    }
    if (get32(si + SI_N_MODULES)) {
        const u8 *m = reach(map, get64(si + SI_MODULES), MODULE_SIZE);
        if (!m)
            return -EFAULT;
        bi->system_base = get64(m);
        bi->system_size = get64(m + 8);
        if (bi->system_base + bi->system_size < bi->system_base)
            return -EINVAL;
    }
    return read_cmdline(get64(si + SI_CMDLINE), map, bi);
}
