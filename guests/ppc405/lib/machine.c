/* SPDX-License-Identifier: MIT */
/* machine.c - the TLB, the interrupt controller, time, and memory functions that the compiler calls. */
#include <guest.h>

/* Write a TLB entry. The TID comes from PID. The low word is written first, because QEMU uses the low word that is
 * there when the high word is written. */
void tlb_write(u32 index, u32 hi, u32 lo, u32 tid)
{
    u32 pid = mfspr(SPR_PID);
    mtspr(SPR_PID, tid);
    __asm__ volatile("isync; tlbwe %1, %2, 1; tlbwe %0, %2, 0; isync" : : "r"(hi), "r"(lo), "r"(index) : "memory");
    mtspr(SPR_PID, pid);
    __asm__ volatile("isync" : : : "memory");
}

void tlb_map(u32 index, u32 ea, u32 ra, u32 size, u32 rights, u32 tid)
{
    tlb_write(index, ea | TLBHI_SIZE(size) | TLBHI_V, ra | rights, tid);
}

void tlb_flush(void) { __asm__ volatile("sync; tlbia; isync" : : : "memory"); }

void code_changed(void *code, u32 bytes)
{
    for (u32 a = (u32)code & ~31u; a < (u32)code + bytes; a += 32)
        __asm__ volatile("dcbst 0, %0; sync; icbi 0, %0" : : "r"(a) : "memory");
    __asm__ volatile("sync; isync" : : : "memory");
}

void uic_init(void)
{
    mtdcr(DCR_UIC + UIC_ER, 0);
    mtdcr(DCR_UIC + UIC_CR, 0);
    mtdcr(DCR_UIC + UIC_PR, ~0u);
    mtdcr(DCR_UIC + UIC_TR, 0);
    mtdcr(DCR_UIC + UIC_SR, ~0u);
}

void wait_ticks(u32 n)
{
    for (u32 start = ticks(); ticks() - start < n;)
        ;
}

/* Otherwise the compiler turns these loops into calls of themselves. */
#pragma GCC optimize("no-tree-loop-distribute-patterns")

void *memcpy(void *dst, const void *src, size_t n)
{
    u8 *d = dst;
    for (const u8 *s = src; n; n--)
        *d++ = *s++;
    return dst;
}

void *memset(void *dst, int c, size_t n)
{
    for (u8 *d = dst; n; n--)
        *d++ = (u8)c;
    return dst;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const u8 *x = a, *y = b;
    for (; n; n--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}
