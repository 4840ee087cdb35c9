/* SPDX-License-Identifier: MIT */
/* arch/space.h (x86-64) - where processes live: one entry of the fourth level, from 512 GiB on. */
#ifndef AMALGAM_ARCH_SPACE_H
#define AMALGAM_ARCH_SPACE_H

#include <types.h>

#define USER_BASE         0x8000000000ul
#define USER_END          0x10000000000ul
#define SPACE_ELF_MACHINE 62 /* EM_X86_64 */

struct space {
    u64 *root;   /* the top-level table; NULL: no space */
    u64 *level4; /* the fourth level, which is the root unless there are five */
    u32 pages;   /* that its tables take */
};

#endif
