/* SPDX-License-Identifier: MIT */
/* arch/apic_access.h (x86, 32 bits) - the registers of the local APIC: MMIO, since a Pentium has no x2APIC. Both widths
 * have the same functions; arch/apic.h includes this. */
#ifndef AMALGAM_ARCH_APIC_ACCESS_H
#define AMALGAM_ARCH_APIC_ACCESS_H

enum { APIC_HAS_X2 = false, APIC_HAS_DEADLINE = false };
static inline bool apic_is_x2(void) { return false; }
static __inlined u32 apic_read(enum apic_reg r) { return apic_registers[r * 4]; }
static __inlined void apic_write(enum apic_reg r, u32 v) { apic_registers[r * 4] = v; }

#endif
