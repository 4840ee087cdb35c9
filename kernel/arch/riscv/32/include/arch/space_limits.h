/* SPDX-License-Identifier: MIT */
/* arch/space_limits.h (RISC-V, 32 bits) - where processes live, whole entries of the root table, and the class of their
 * programs. */
#ifndef AMALGAM_ARCH_SPACE_LIMITS_H
#define AMALGAM_ARCH_SPACE_LIMITS_H

#define USER_BASE 0x10000000ul
#define USER_END  0x80000000ul

#define SPACE_ELF_CLASS 1 /* ELFCLASS32 */

#endif
