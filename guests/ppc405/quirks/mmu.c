/* SPDX-License-Identifier: MIT */
/* mmu.c - the TLB and cached translations. */
#include "quirks.h"

#define ZONE2(v) ((0x55555555u & ~(3u << 26)) | (u32)(v) << 26)

/* After mtspr ZPR, translations keep the permissions of their first use until PID changes. */
static void zpr(void)
{
    tlb_map(1, EA, PAGE_A, PAGE_4K, TLBLO_ZSEL(2), 1);
    mtspr(SPR_ZPR, ZONE2(3));
    bool open = access(EA, true).vector == VEC_SC;
    mtspr(SPR_ZPR, ZONE2(1));
    bool stale = access(EA, true).vector == VEC_SC;
    mtspr(SPR_PID, 2);
    mtspr(SPR_PID, 1);
    quirk("zpr", open && stale && access(EA, true).vector == VEC_DSI);
    mtspr(SPR_ZPR, 0x55555555);
    *(u32 *)PAGE_A = WORD_A;
}

/* Writing the low word makes the entry invalid, so the high word has to be written last. */
static void tlblo_first(void)
{
    __asm__ volatile("tlbwe %0, %2, 0; tlbwe %1, %2, 1; isync"
                     :
                     : "r"(EA | TLBHI_SIZE(PAGE_4K) | TLBHI_V), "r"(PAGE_A), "r"(1)
                     : "memory");
    quirk("tlblo-first", access(EA, false).vector == VEC_DTLB);
}

/* A read of the low word returns neither zone nor storage attributes. */
static void tlbre_attributes(void)
{
    u32 lo;
    tlb_map(1, EA, PAGE_A, PAGE_4K, TLBLO_EX | TLBLO_ZSEL(9) | TLBLO_I | TLBLO_G, 1);
    __asm__ volatile("tlbre %0, %1, 1" : "=r"(lo) : "r"(1));
    quirk("tlbre-attributes", lo == (PAGE_A | TLBLO_EX));
}

/* An instruction TLB miss writes DEAR; by the manual it does not. */
static void itlb_dear(void)
{
    struct frame f = { .pc = EA, .msr = MSR_IR | MSR_DR };
    tlb_write(1, 0, 0, 1);
    mtspr(SPR_DEAR, 0x1234);
    try(&f);
    quirk("itlb-dear", f.vector == VEC_ITLB && f.dear == EA);
}

void mmu_quirks(void)
{
    zpr();
    tlblo_first();
    tlbre_attributes();
    itlb_dear();
}
