/* SPDX-License-Identifier: MIT */
/* arch/cpu.h - single instructions of the 405, and the order of memory between cores. */
#ifndef AMALGAM_ARCH_CPU_H
#define AMALGAM_ARCH_CPU_H

#include <types.h>
#include <arch/regs.h>
#include <board/quirks.h>

#define mfspr(n)                                                                                                       \
    ({                                                                                                                 \
        u32 _v;                                                                                                        \
        __asm__ volatile("mfspr %0,%1" : "=r"(_v) : "i"(n));                                                           \
        _v;                                                                                                            \
    })
#define mtspr(n, v) __asm__ volatile("mtspr %0,%1" ::"i"(n), "r"(v) : "memory")
#define mfdcr(n)                                                                                                       \
    ({                                                                                                                 \
        u32 _v;                                                                                                        \
        __asm__ volatile("mfdcr %0,%1" : "=r"(_v) : "i"(n) : "memory");                                                \
        _v;                                                                                                            \
    })
#define mtdcr(n, v) __asm__ volatile("mtdcr %0,%1" ::"i"(n), "r"(v) : "memory")

/* Sections for small variables that the cores share. The ABI's name means that one instruction reaches them by a
 * 16-bit address. */
#define SHARED_SECTION         ".PPC.EMB.sdata0"
#define SHARED_SECTION_RECORDS ".PPC.EMB.sbss0" /* for those that grow with the number of VMs: after the others */

/* always_inline: -Oz would call functions of one instruction */
static inline __attribute__((always_inline)) u32 time_base(void)
{
    u32 v;
    __asm__ volatile("mftb %0" : "=r"(v));
    return v;
}

static inline void time_base_set(u32 low)
{
    __asm__ volatile("mtspr %0,%1; mtspr %2,%1; mtspr %0,%3" ::"i"(SPR_TBL), "r"(0), "i"(SPR_TBU), "r"(low));
}

static inline void isync(void) { __asm__ volatile("isync" ::: "memory"); }

/* Stores before this are visible to all cores before later accesses. */
static inline __attribute__((always_inline)) void mp_fence(void) { QUIRK_FENCE(); }

/* Device registers: bytes on the peripheral bus, accessed in order. */
static inline u8 io_read8(u32 address)
{
    u8 v = *(volatile u8 *)address;
    __asm__ volatile("eieio" ::: "memory");
    return v;
}
static inline void io_write8(u32 address, u8 v)
{
    *(volatile u8 *)address = v;
    __asm__ volatile("eieio" ::: "memory");
}

#endif
