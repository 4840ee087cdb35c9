/* SPDX-License-Identifier: MIT */
/*
 * The hardware TLB as a model (kernel/arch/ppc405/include/arch/tlb_hw.h is the real one): the 64 entries, the
 * PID register, and what an access of the guest meets there.
 */
#ifndef FAKE_TLB_HW_H
#define FAKE_TLB_HW_H

#include <arch/regs.h>
#include <types.h>

#define HW_TLB 64

struct fake_tlb {
    u32 hi[HW_TLB], lo[HW_TLB];
    u8 tid[HW_TLB];
    u32 pid, zpr;
};
extern struct fake_tlb fake_tlb;

static inline void hw_set_pid(u32 pid) { fake_tlb.pid = pid; }
static inline u32 hw_pid(void) { return fake_tlb.pid; }
static inline u32 hw_zpr(void) { return fake_tlb.zpr; }

static inline bool fake_covers(u32 slot, u32 ea)
{
    u32 hi = fake_tlb.hi[slot];
    return (hi & TLBHI_V) && !((hi ^ ea) & (~0u << (10 + 2 * TLBHI_SIZE_OF(hi))));
}
static inline int hw_tlb_search(u32 ea)
{
    for (u32 i = 0; i < HW_TLB; i++)
        if (fake_covers(i, ea) && (!fake_tlb.tid[i] || fake_tlb.tid[i] == fake_tlb.pid))
            return i;
    return -1;
}
static inline u32 hw_tlb_lo(u32 slot) { return fake_tlb.lo[slot]; }
static inline u32 hw_tlb_tag(u32 slot)
{
    fake_tlb.pid = fake_tlb.tid[slot];
    return fake_tlb.hi[slot];
}
static inline void hw_tlb_drop(u32 slot) { fake_tlb.hi[slot] = 0; }
static inline void hw_tlb_write(u32 slot, u32 hi, u32 lo)
{
    fake_tlb.hi[slot] = hi;
    fake_tlb.lo[slot] = lo;
    fake_tlb.tid[slot] = fake_tlb.pid;
}
static inline void hw_tlb_clear(void)
{
    for (u32 i = 0; i < HW_TLB; i++)
        fake_tlb.hi[i] = 0;
}

#endif
