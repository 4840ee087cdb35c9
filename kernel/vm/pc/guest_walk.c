/* SPDX-License-Identifier: MIT */
/*
 * guest_walk.c - walks all four forms of x86 page tables in one loop (APM vol. 2 5.2, 5.3). They differ in levels,
 * index width and entry size only.
 */
#include <arch/cpu.h>
#include <bytes.h>
#include <string.h>
#include "guest_walk.h"

#define CR4_PSE (1ul << 4)
#define CR4_PAE (1ul << 5)
#define PTE_P   1u
#define PTE_W   2u
#define PTE_U   4u
#define PTE_PS  0x80u
#define ADDR_52 0x000ffffffffff000ull

gpa_t guest_walk(const struct vcpu *v, u64 va, bool write)
{
    const struct guest_cpu *cpu = vcpu_cpu(&v->hal);
    bool lma = cpu->efer & EFER_LMA;
    /* Numbers of address bits: end of the root's index, bits of an index, of the largest page. */
    unsigned shift = 39, index_bits = 9, largest = 21, size = 8;
    u64 table = cpu->cr3, pte;
    u32 wanted = PTE_P;

    if (!lma)
        va = (u32)va;
    if (!(cpu->cr0 & CR0_PG))
        return va;
    if (lma) {
        table &= ~0xffful;
        shift = cpu->cr4 & CR4_LA57 ? 57 : 48;
        largest = 30;
        if ((u64)((s64)va >> (shift - 1)) + 1 > 1) /* not canonical */
            return NO_GPA;
    } else if (cpu->cr4 & CR4_PAE) {
        table = (u32)table & ~0x1fu;
    } else {
        table = (u32)table & ~0xfffu;
        shift = 32;
        index_bits = 10;
        largest = cpu->cr4 & CR4_PSE ? 22 : 12;
        size = 4;
    }
    if (cpu->cpl == 3)
        wanted |= PTE_U;
    if (write && (cpu->cpl == 3 || cpu->cr0 & CR0_WP))
        wanted |= PTE_W;
    do {
        shift -= index_bits;
        const void *at = guest_ptr(&v->vm->memory, table + ((va >> shift) * size & (PAGE_SIZE - 1)), size);
        if (!at)
            return NO_GPA;
        pte = size == 8 ? get64(at) : get32(at);
        if (~pte & (lma || shift < 30 ? wanted : PTE_P)) /* the four PDPTEs of PAE have no rights */
            return NO_GPA;
        table = pte & ADDR_52;
    } while (shift > PAGE_SHIFT && !(pte & PTE_PS && shift <= largest));
    if (shift == 22) /* PSE-36: bits 13-20 are address bits 32-39 */
        table |= (u64)(u8)(pte >> 13) << 32;
    u64 mask = (1ull << shift) - 1;
    return (table & ~mask) | (va & mask);
}

void *guest_part(const struct vcpu *v, u64 va, bool write, unsigned *len)
{
    *len = MIN(*len, (unsigned)PAGE_SIZE - ((unsigned)va & (PAGE_SIZE - 1)));
    return guest_ptr(&v->vm->memory, guest_walk(v, va, write), *len);
}

unsigned guest_copy(const struct vcpu *v, u64 va, void *buf, unsigned len, bool write)
{
    unsigned done = 0, n;

    for (; done < len; done += n) {
        n = len - done;
        void *at = guest_part(v, va + done, write, &n), *part = (u8 *)buf + done;
        if (!at)
            break;
        memcpy(write ? at : part, write ? part : at, n);
    }
    return done;
}
