/* SPDX-License-Identifier: MIT */
/*
 * fetch.c - reads the bytes of the instruction at which Linux exited, if the processor does not provide them (decode
 * assists, APM vol. 2, 15.8.4).
 *
 * Linux's memory is not in our page tables: each CPU maps one page at a time in a window of its own. An address is used
 * only if Linux itself may write there, so hidden memory cannot be read by this way. Nothing is hidden and used
 * meanwhile, because for that this CPU would have to flush.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/decode.h>
#include <arch/vcpu.h>
#include <string.h>

#include "apic.h"

void *linux_window(struct linux_cpu *l, paddr_t pa, u64 flags)
{
    *l->window_entry = (pa & PTE_ADDR) | PTE_P | PTE_NX | flags;
    invlpg(l->window);
    return (char *)l->window + (pa & (PAGE_SIZE - 1));
}

static const void *show(struct linux_cpu *l, paddr_t pa) { return linux_sees(pa) ? linux_window(l, pa, 0) : NULL; }

/* Walk Linux's own page tables in long mode: four levels or five, pages of three sizes. */
static bool walk(struct linux_cpu *l, u64 va, paddr_t *pa)
{
    u64 pte, table = l->vmcb->cr3 & PTE_ADDR;
    for (unsigned level = l->vmcb->cr4 & CR4_LA57 ? 5 : 4;; level--) {
        unsigned shift = PAGE_SHIFT + 9 * (level - 1);
        u64 mask = (1ul << shift) - 1;
        const u64 *entry = show(l, table + (va >> shift & 511) * 8);
        pte = entry ? *entry : 0;
        if (!(pte & PTE_P))
            return false;
        table = pte & PTE_ADDR;
        if (level == 1 || (level <= 3 && pte & PTE_PS)) {
            *pa = (table & ~mask) | (va & mask);
            return true;
        }
    }
}

unsigned linux_fetch(struct linux_cpu *l, u8 *code)
{
    unsigned done = 0;
    while (done < INSN_MAX) {
        u64 va = l->vmcb->rip + done, n = MIN((u64)INSN_MAX - done, PAGE_SIZE - (va & (PAGE_SIZE - 1)));
        paddr_t pa;
        const void *from = walk(l, va, &pa) ? show(l, pa) : NULL;
        if (!from)
            break;
        memcpy(code + done, from, n);
        done += (unsigned)n;
    }
    return done;
}

bool linux_decode(struct linux_cpu *l, struct insn *i)
{
    struct vmcb *b = l->vmcb;
    u8 code[INSN_MAX];
    if (b->cpl || guest_code_bits(vmcb_cpu(b)) != 64)
        return false;
    if (b->fetched && insn_decode(b->bytes, MIN(b->fetched, (u8)INSN_MAX), 64, i) > 0)
        return true;
    return insn_decode(code, linux_fetch(l, code), 64, i) > 0;
}

u64 *linux_operand(struct linux_cpu *l, const struct insn *i)
{
    return i->reg == RAX ? &l->vmcb->rax : i->reg == RSP ? &l->vmcb->rsp : &l->page->regs[i->reg & 15];
}

void linux_retire(struct vmcb *b, u64 rip) { vmcb_retire(b, rip); }
