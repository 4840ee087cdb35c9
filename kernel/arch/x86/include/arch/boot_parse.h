/* SPDX-License-Identifier: MIT */
/*
 * arch/boot_parse.h - converts a boot loader's information to a boot_info.
 *
 * The readers are pure: they allocate nothing, use no global, and read physical memory only through the caller's `map`,
 * which returns NULL for memory that it cannot reach. The loader's data is trusted where it cannot be checked (where
 * RAM is), and refused where it contradicts itself.
 */
#ifndef AMALGAM_ARCH_BOOT_PARSE_H
#define AMALGAM_ARCH_BOOT_PARSE_H

#include <boot_info.h>

#define MULTIBOOT2_MAGIC 0x36d76289u /* in EAX at entry (Multiboot2 3.3) */
#define PVH_MAGIC        0x336ec578u /* first word of hvm_start_info */

/* Return a pointer to `len` bytes of physical memory at `pa`, or NULL if they cannot be reached. */
typedef const void *(*phys_map_fn)(paddr_t pa, u64 len);

/*
 * Read the Multiboot2 information structure at `mbi`, whose physical address is `pa`; at most `max_size` bytes are
 * read. Sets every field of *bi; the first module is the system image. bi->rsdp may point into the structure, so that
 * memory must be kept until ACPI was read. Returns 0, -EINVAL (malformed), -ENOSPC (more memory regions than boot_info
 * holds).
 */
int multiboot2_parse(const void *mbi, paddr_t pa, u64 max_size, struct boot_info *bi);

/* The same for PVH's hvm_start_info at physical address `start_info`. Also returns -EFAULT if `map` returns NULL. */
int pvh_parse(paddr_t start_info, phys_map_fn map, struct boot_info *bi);

/* Append the region of an E820 entry (base, size, type, as in Multiboot and PVH), and join it with the last one if
 * they touch. Returns 0, -EINVAL (it wraps), -ENOSPC. */
#define BOOT_E820_SIZE 24
int boot_info_add(struct boot_info *bi, const u8 *e820);

#endif
