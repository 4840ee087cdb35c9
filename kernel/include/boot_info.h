/* SPDX-License-Identifier: MIT */
/*
 * boot_info.h - filled by each entry (multiboot2, PVH, reset vector, module) before core_start(). It has plain physical
 * addresses. The memory that it describes exists; nothing else in it is trusted.
 */
#ifndef AMALGAM_BOOT_INFO_H
#define AMALGAM_BOOT_INFO_H

#include <types.h>

#define BOOT_MAX_REGIONS 64
#define BOOT_CMDLINE_MAX 256

enum boot_mem_type { BOOT_MEM_RAM = 1, BOOT_MEM_RESERVED, BOOT_MEM_ACPI };

struct boot_region {
    paddr_t base;
    u64 size;
    u32 type; /* enum boot_mem_type */
};

struct boot_info {
    const char *loader; /* "multiboot2", "PVH", ... for the log */
    unsigned n_regions;
    struct boot_region region[BOOT_MAX_REGIONS];
    paddr_t system_base; /* the system image (core/system_table.h); size 0: none */
    u64 system_size;
    /* The number of this kernel on a board that has several, and how many those are; 0 of 0: the board has one. */
    u16 self, n_kernels;
    u16 awake;    /* how many cores that run programs may be awake at the same time; 0: all */
    u16 exempt;   /* a core beside core 0 that `awake` is not for, if so many cores start; 0: there is none */
    paddr_t rsdp; /* 0: search for it */
    char cmdline[BOOT_CMDLINE_MAX];
};

extern struct boot_info boot_info;

#endif
