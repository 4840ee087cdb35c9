/* SPDX-License-Identifier: MIT */
/* arch/cpu.h for tests of x86/para: control registers are variables. */
#ifndef AMALGAM_TESTS_PARA_CPU_H
#define AMALGAM_TESTS_PARA_CPU_H

extern unsigned long host_cr0, host_cr2;

static inline unsigned long read_cr0(void) { return host_cr0; }
static inline void write_cr0(unsigned long value) { host_cr0 = value; }
static inline unsigned long read_cr2(void) { return host_cr2; }

#endif
