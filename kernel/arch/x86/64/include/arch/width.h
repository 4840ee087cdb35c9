/* SPDX-License-Identifier: MIT */
/* arch/width.h (x86, 64 bits) - the rest of arch/cpu.h: instructions that 32-bit processors do not have. */
#ifndef AMALGAM_ARCH_WIDTH_H
#define AMALGAM_ARCH_WIDTH_H

static inline void mp_fence(void) { __asm__ volatile("mfence" ::: "memory"); }
/* Returns whether MSR_APIC_BASE exists. */
static inline bool apic_has_base(void) { return true; }

#endif
