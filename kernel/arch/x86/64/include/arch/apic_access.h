/* SPDX-License-Identifier: MIT */
/* arch/apic_access.h (x86, 64 bits) - the registers of the local APIC: MSRs (x2APIC) if the core has them, else MMIO.
 * Both widths have the same functions; arch/apic.h includes this. */
#ifndef AMALGAM_ARCH_APIC_ACCESS_H
#define AMALGAM_ARCH_APIC_ACCESS_H

enum { APIC_HAS_X2 = true, APIC_HAS_DEADLINE = true };
bool apic_is_x2(void);
u32 apic_read(enum apic_reg r);
void apic_write(enum apic_reg r, u32 v);

#endif
