/* SPDX-License-Identifier: MIT */
/* arch/space_limits.h (RISC-V, 64 bits) - where processes live, whole entries of the root table, and the class of their
 * programs. */
#ifndef AMALGAM_ARCH_SPACE_LIMITS_H
#define AMALGAM_ARCH_SPACE_LIMITS_H

#define USER_BASE 0x1000000000ul
#define USER_END  0x2000000000ul

#define SPACE_ELF_CLASS 2 /* ELFCLASS64 */

#endif
