/* SPDX-License-Identifier: MIT */
/*
 * elf_pvh.c - an ELF kernel with a PVH entry (Xen's note 18, XEN_ELFNOTE_PHYS32_ENTRY): entered in 32-bit flat mode
 * with EBX = hvm_start_info, version 1. The page at LOAD_INFO has the start info, the memory map and the list of
 * modules.
 */
#include <bytes.h>
#include "loader.h"

#define NOTE_PHYS32_ENTRY 18
#define START_INFO_MAGIC  0x336ec578u
#define MEMMAP_OFFSET     0x40
#define MODULES_OFFSET    0x200

static void put_start_info(struct loader *l)
{
    u8 *p = l->low + LOAD_INFO;
    gpa_t at = l->area + LOAD_INFO;

    put32(p, START_INFO_MAGIC);
    put32(p + 4, 1); /* version */
    put64(p + 24, l->area + LOAD_CMDLINE);
    put64(p + 32, l->r.rsdp);
    put64(p + 40, at + MEMMAP_OFFSET);
    put32(p + 48, load_memory_map(l, p + MEMMAP_OFFSET, 24));
    if (l->initrd) {
        put32(p + 12, 1);
        put64(p + 16, at + MODULES_OFFSET);
        put64(p + MODULES_OFFSET, l->initrd);
        put64(p + MODULES_OFFSET + 8, l->r.initrd_size);
    }
}

const char *load_pvh(struct loader *l)
{
    u64 start;
    const char *why = load_elf(l, NOTE_PHYS32_ENTRY, &start);

    if (why)
        return why;
    if (start >= 4 * GIB)
        return "the PVH entry lies above 4 GiB";
    if ((why = load_cmdline(l, LOAD_CMDLINE_MAX)) || (why = load_initrd(l, 4 * GIB)))
        return why;
    put_start_info(l);
    load_enter(l, &load_flat32, start);
    l->e->rbx = l->area + LOAD_INFO;
    return NULL;
}
