/* SPDX-License-Identifier: MIT */
/*
 * arch/boot_parse.h - what a boot loader left in memory, turned into a boot_info.
 *
 * Pure readers: they allocate nothing, touch no global, and reach physical memory
 * only through the caller's `map`, which answers NULL for what it does not back.
 * Loader data is believed where it cannot be checked (where RAM is), and refused
 * where it contradicts itself.
 */
#ifndef AMALGAM_ARCH_BOOT_PARSE_H
#define AMALGAM_ARCH_BOOT_PARSE_H

#include <boot_info.h>

#define MULTIBOOT2_MAGIC 0x36d76289u /* in EAX at entry (Multiboot2 3.3) */
#define PVH_MAGIC        0x336ec578u /* first word of hvm_start_info */

/* The `len` bytes of physical memory at `pa`, or NULL if they cannot be reached. */
typedef const void *(*phys_map_fn)(paddr_t pa, u64 len);

/*
 * Read the Multiboot2 information structure at `mbi`, whose physical address is
 * `pa` and of which at most `max_size` bytes may be read. Fills every field of *bi;
 * the first module is the system image. bi->rsdp may point into the structure, so
 * keep that memory until ACPI was read. 0, -EINVAL (malformed), -ENOSPC (more memory
 * regions than boot_info holds).
 */
int multiboot2_parse(const void *mbi, paddr_t pa, u64 max_size, struct boot_info *bi);

/* The same for the PVH hvm_start_info at physical `start_info`; -EFAULT where `map` says NULL. */
int pvh_parse(paddr_t start_info, phys_map_fn map, struct boot_info *bi);

/* Append the region that an E820 entry is, as Multiboot and PVH both have it: base, size, type; joins it to the last
 * one where they touch. 0, -EINVAL (wraps), -ENOSPC. */
#define BOOT_E820_SIZE 24
int boot_info_add(struct boot_info *bi, const u8 *e820);

#endif
