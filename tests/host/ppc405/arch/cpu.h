/* SPDX-License-Identifier: MIT */
/* Stands for kernel/arch/ppc405/include/arch/cpu.h in unit tests: time, device registers and DCRs are variables. */
#ifndef FAKE_CPU_H
#define FAKE_CPU_H

#include <arch/regs.h>
#include <types.h>

#define SHARED_SECTION ".shared"

extern u32 fake_time, fake_dcr[1024], fake_tsr;
u8 io_read8(u32 address);
void io_write8(u32 address, u8 value);

#define mfspr(n)    (fake_tsr) /* the only one that devices read */
#define mfdcr(n)    (fake_dcr[n])
#define mtdcr(n, v) (fake_dcr[n] = (v))

static inline u32 time_base(void) { return fake_time; }
static inline void mp_fence(void) {}

#endif
