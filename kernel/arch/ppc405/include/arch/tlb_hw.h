/* SPDX-License-Identifier: MIT */
/*
 * arch/tlb_hw.h - the hardware's TLB, one instruction for each function (PPC405 UM 7.3, 7.9).
 *
 * The kernel runs untranslated, so nothing here takes effect before it resumes a guest. The resumption loads the PID
 * register again, with whatever else the board needs.
 */
#ifndef AMALGAM_ARCH_TLB_HW_H
#define AMALGAM_ARCH_TLB_HW_H

#include <arch/regs.h>
#include <types.h>

#define HW_TLB 64

static inline void hw_set_pid(u32 pid) { __asm__ volatile("mtspr %0, %1" ::"i"(SPR_PID), "r"(pid)); }
static inline u32 hw_pid(void)
{
    u32 v;
    __asm__ volatile("mfspr %0, %1" : "=r"(v) : "i"(SPR_PID));
    return v;
}

static inline u32 hw_zpr(void)
{
    u32 v;
    __asm__ volatile("mfspr %0, %1" : "=r"(v) : "i"(SPR_ZPR));
    return v;
}

/* The slot that translates `ea` in the address space of the PID register, or -1. */
static inline int hw_tlb_search(u32 ea)
{
    int slot;
    __asm__ volatile("tlbsx. %0, 0, %1\n\tbeq 1f\n\tli %0, -1\n1:" : "=&r"(slot) : "r"(ea) : "cr0");
    return slot;
}
/* Also sets the PID register to the slot's. */
static inline u32 hw_tlb_tag(u32 slot)
{
    u32 v;
    __asm__ volatile("tlbre %0, %1, 0" : "=r"(v) : "r"(slot));
    return v;
}
static inline u32 hw_tlb_lo(u32 slot)
{
    u32 v;
    __asm__ volatile("tlbre %0, %1, 1" : "=r"(v) : "r"(slot));
    return v;
}
static inline void hw_tlb_drop(u32 slot) { __asm__ volatile("tlbwe %0, %1, 0" ::"r"(0), "r"(slot)); }
/* Write an entry for the address space of the PID register. The low word goes first: quirks.h, QUIRK_TLBLO_FIRST. */
static inline void hw_tlb_write(u32 slot, u32 hi, u32 lo)
{
    __asm__ volatile("tlbwe %0, %2, 1\n\ttlbwe %1, %2, 0" ::"r"(lo), "r"(hi), "r"(slot));
}
static inline void hw_tlb_clear(void) { __asm__ volatile("tlbia"); }

#endif
