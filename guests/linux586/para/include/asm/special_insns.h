/* SPDX-License-Identifier: MIT */
/*
 * special_insns.h - takes the kernel's own with a few functions renamed, and gives others under their names: CR2 and
 * CR3 are words of the shared page, and loading CR3 is a call.
 */
#ifndef _AMALGAM_SPECIAL_INSNS_H
#define _AMALGAM_SPECIAL_INSNS_H
#define native_read_cr2   hw_native_read_cr2
#define read_cr2          hw_read_cr2
#define __native_read_cr3 hw___native_read_cr3
#define __read_cr3        hw___read_cr3
#define native_write_cr3  hw_native_write_cr3
#define write_cr3         hw_write_cr3
#include_next <asm/special_insns.h>
#undef native_read_cr2
#undef read_cr2
#undef __native_read_cr3
#undef __read_cr3
#undef native_write_cr3
#undef write_cr3

#if defined(__KERNEL__) && !defined(__ASSEMBLY__)
#include <asm/amalgam_calls.h>
static __always_inline unsigned long native_read_cr2(void) { return AMALGAM_SHARED(AMALGAM_SHARE_CR2); }
static __always_inline unsigned long read_cr2(void) { return native_read_cr2(); }
static inline unsigned long __native_read_cr3(void) { return AMALGAM_SHARED(AMALGAM_SHARE_CR3); }
static inline unsigned long __read_cr3(void) { return __native_read_cr3(); }
static inline void native_write_cr3(unsigned long v) { amalgam_load_cr3(v, 0, 0); }
static inline void write_cr3(unsigned long v) { native_write_cr3(v); }
#endif
#endif
