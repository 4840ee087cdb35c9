/* SPDX-License-Identifier: MIT */
/*
 * arch/vcpu.h (x86, 32 bits) - a virtual CPU in ring 1 (x86/para): what the machine model (vm/para) sees of it between
 * runs.
 *
 * The guest's kernel runs in ring 1, its programs in ring 3, and the real interrupt flag is always set: what the guest
 * takes for it is a word of a page that both see. Its page tables are never the processor's: those are shadows, filled
 * at faults and emptied by what empties a TLB.
 */
#ifndef AMALGAM_ARCH_VCPU_H
#define AMALGAM_ARCH_VCPU_H

#include <hal/vcpu.h>

struct para_state;
struct para_regs;
struct shadow;

#define PARA_KEPT     16 /* places that are kept of the guest's own accesses by us */
#define PARA_LINES    16 /* interrupt lines; line n is vector 0x30 + n */
#define VCPU_EXTERNAL 16 /* behind them one whose vector an interrupt controller of the machine says */

struct hal_vcpu {
    struct para_state *state; /* pages that lie in the guest's address spaces (para/layout.h) */
    struct para_regs *regs;   /* at the end of theirs; good between runs */
    u32 *shared;
    struct shadow *shadow;
    const struct stage2 *memory;
    u32 cr0, cr3, cr4;
    u32 gdt, gdt_limit, idt, idt_limit, task; /* as the guest loaded them: its own addresses */
    u32 lines;                                /* atomic: lines raised and not taken */
    u32 said;                                 /* not 0: the shared page says that a line is raised */
    u32 kept_local;                           /* bit n: kept[n] is of a page that is not global */
    struct para_kept {
        u32 key; /* address of the page, and what it was found for; 0: none */
        u8 *page;
    } kept[PARA_KEPT];
    void *load; /* in `regs`: where vcpu_complete_read() puts the value, extended by 0 */
    u8 load_bytes;
    u64 fast_exits;
    u64 exits[VCPU_EXIT_REASONS];
};

#ifndef PARA_STRONG /* the build says 1 of a kernel whose guest may have memory that comes and goes */
#define PARA_STRONG 0
#endif
/*
 * Memory of a guest whose pages come and go (vm/para/strong.c): `size` bytes at guest-physical `gpa`, which this kernel
 * has at `at` and the processor's tables at `bus`. One vCPU of a kernel has such memory. `pages` is room for
 * STRONG_ROOM(size) bytes, cleared. Before the vCPU runs.
 *
 * When the guest, or what is done for it, needs a page that is not here, nothing has been done of it, and vcpu_run()
 * returns VCPU_EXIT_OTHER. The caller gets the page, if vcpu_lacks() names one, and goes on.
 */
void vcpu_strong(struct hal_vcpu *v, u32 gpa, u32 size, void *at, u32 bus, void *pages);
#define STRONG_ROOM(size) ((size) / PAGE_SIZE * sizeof(struct strong_page))
struct strong_page {
    u32 va[2]; /* where shadows have it: a page's address and the space */
    u8 n;      /* of `va`; more than 2: anywhere */
    bool here;
    u16 kept; /* bit n: hal_vcpu's kept[n] had it when it was last filled */
};
/* Return the number of the page that was not there when it was last asked, and forget that; or -1. */
int vcpu_lacks(struct hal_vcpu *v);
/* A page has come, and stays for now / goes: from now on nothing here knows where it was. Interrupts are off. */
void vcpu_came(struct hal_vcpu *v, unsigned page);
void vcpu_lose(struct hal_vcpu *v, unsigned page);
/* Have one instruction executed and no more, if none is meanwhile; vcpu_run() returns then / whether it has been. */
void vcpu_step(struct hal_vcpu *v);
bool vcpu_stepped(struct hal_vcpu *v);
/* Return the address of the instruction that is next. */
u32 vcpu_at(const struct hal_vcpu *v);
/* Forget what its shadows have of some pages, as INVLPG does. Interrupts are off. */
void vcpu_forget(struct hal_vcpu *v, u32 va, u32 pages);

/* Set the state in which a kernel is entered: ring 1, no paging, empty tables but two flat segments, registers 0 but
 * ESI. */
void vcpu_start(struct hal_vcpu *v, u32 eip, u32 esi);
/* Raise an interrupt line, which stays until the guest takes it. The caller kicks the vCPU. Any context. */
static inline void vcpu_raise(struct hal_vcpu *v, unsigned line)
{
    __atomic_fetch_or(&v->lines, 1u << line, __ATOMIC_SEQ_CST);
}
/* After VCPU_EXIT_WINDOW, when VCPU_EXTERNAL was raised and the guest takes interrupts: deliver one. Returns NULL, or
 * why the guest cannot go on. */
const char *vcpu_interrupt(struct hal_vcpu *v, unsigned vector);
/* Returns whether it takes interrupts at all / whether one waits that it would take. Any context. */
bool vcpu_interruptible(const struct hal_vcpu *v);
bool vcpu_has_interrupt(const struct hal_vcpu *v);
/* Of a VCPU_EXIT_HYPERCALL: its number (eax) and argument n, 0 to 3 (ebx, ecx, edx, esi); set its result. */
u32 vcpu_call(const struct hal_vcpu *v);
u32 vcpu_argument(const struct hal_vcpu *v, unsigned n);
void vcpu_return(struct hal_vcpu *v, s32 result);
/* Copy `n` bytes at the guest's address `from`, as its kernel would read them. Returns 0, or -EFAULT. */
int vcpu_read(struct hal_vcpu *v, void *to, u32 from, u32 n);
/* Print its registers. */
void vcpu_dump(const struct hal_vcpu *v);

#endif
