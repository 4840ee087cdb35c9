/* SPDX-License-Identifier: MIT */
/* arch/space.h (RISC-V) - an address space of a process. */
#ifndef AMALGAM_ARCH_SPACE_H
#define AMALGAM_ARCH_SPACE_H

#include <arch/space_limits.h>
#include <types.h>

#define SPACE_ELF_MACHINE 243 /* EM_RISCV */

struct space {
    unsigned long *root; /* NULL: no space */
    unsigned long satp;
    u32 pages; /* that its tables take */
};

#endif
