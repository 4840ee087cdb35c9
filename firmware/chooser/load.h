/* SPDX-License-Identifier: MIT */
/* load.h - which kernel a processor needs, and its ELF file put where it is linked. */
#ifndef AMALGAM_CHOOSER_LOAD_H
#define AMALGAM_CHOOSER_LOAD_H

#include <types.h>

/* Where the kernels for PCs are linked (kernel/arch/x86/arch.mk, kernel.lds), and the end that none passes. */
#define KERNELS_BEGIN 0xd00000u
#define KERNELS_END   0xe00000u

/* Modules of the CD image in their order (tools/amalgam/build/iso.py): the system, which the kernel takes, and two
 * kernels.
 */
enum module { MODULE_SYSTEM, MODULE_AMDV, MODULE_VMX, MODULES };

/* What CPUID says: EBX of leaf 0, ECX of leaf 1, ECX of leaf 8000_0001h (0: there is no such leaf). */
struct processor {
    u32 maker, features, extended;
};

/* Return the kernel that can host guests on `p`, or, if none can, the one that says what is missing. */
enum module kernel_for(const struct processor *p);

/* Put a kernel's segments to their physical addresses in `memory`, whose first byte has address 0. Returns its entry,
 * or 0: the file is none that is linked there. */
u32 load_elf(const u8 *elf, u32 size, u8 *memory);

#endif
