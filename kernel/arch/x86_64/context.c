/* SPDX-License-Identifier: MIT */
/*
 * context.c - new contexts, and the extended state: XSAVE where the processor has
 * it (all features it offers are enabled), FXSAVE otherwise.
 *
 * The kernel is compiled without vector instructions, so registers of the last
 * owner survive in place until another owner comes.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <hal/context.h>
#include <string.h>

#define CPUID_XSAVEERPTR (1u << 2)

extern void context_start(void);

static u64 xcr0_all;       /* 0: no XSAVE */
static bool pointers_stay; /* restoring leaves the last x87 instruction's address where no exception is pending */
static size_t area_size = 512;

void context_init(struct context *ctx, void *top, void (*entry)(void *), void *arg)
{
    u64 *sp = (u64 *)ALIGN_DOWN((u64)top, 16);
    *--sp = 0; /* two words: 16-byte alignment at context_start's call */
    *--sp = 0;
    *--sp = (u64)context_start;
    *--sp = 0;          /* rbx */
    *--sp = 0;          /* rbp */
    *--sp = (u64)entry; /* r12 */
    *--sp = (u64)arg;   /* r13 */
    *--sp = 0;          /* r14 */
    *--sp = 0;          /* r15 */
    ctx->sp = sp;
}

__init_text void fpu_init_cpu(void)
{
    write_cr0((read_cr0() & ~0xcul) | 0x22); /* no EM, no TS; MP and NE */
    write_cr4(read_cr4() | CR4_OSFXSR | CR4_OSXMMEXCPT);
    pointers_stay = cpuid(0x80000000, 0).eax >= 0x80000008 && !(cpuid(0x80000008, 0).ebx & CPUID_XSAVEERPTR);
    if (!(cpuid(1, 0).ecx & (1u << 26)))
        return;
    write_cr4(read_cr4() | CR4_OSXSAVE);
    struct cpuid_regs r = cpuid(0xd, 0);
    xcr0_all = r.eax | (u64)r.edx << 32;
    xsetbv(0, xcr0_all);
    area_size = cpuid(0xd, 0).ebx;
}

size_t fpu_state_size(void) { return area_size; }

/* Reset state: x87 control word 0x37f, MXCSR 0x1f80, XSTATE_BV 0 so that the rest is initial. */
void fpu_state_init(struct fpu *f, void *area)
{
    memset(area, 0, area_size);
    *(u16 *)area = 0x37f;
    *(u32 *)((char *)area + 24) = 0x1f80;
    f->area = area;
    f->xcr0 = xcr0_all;
}

static u64 get_xcr0(void)
{
    u32 lo, hi;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return lo | (u64)hi << 32;
}

/* Put an address of ours where the last x87 instruction's stays, or the next owner reads the last one's
 * (CVE-2006-1056). */
static inline void hide_pointers(void)
{
    static const u32 zero;
    if (pointers_stay)
        __asm__ volatile("fnclex; emms; fildl %0" ::"m"(zero));
}

static void switch_fxsave(struct fpu *from, const struct fpu *to)
{
    if (from)
        __asm__ volatile("fxsave64 %0" : "=m"(*(char(*)[512])from->area));
    hide_pointers();
    __asm__ volatile("fxrstor64 %0" ::"m"(*(const char(*)[512])to->area));
}

/* A guest sets XCR0 itself, and it stays in place until another owner comes; everything is moved under the full mask.
 */
void fpu_switch(struct fpu *from, struct fpu *to)
{
    if (unlikely(!xcr0_all)) {
        switch_fxsave(from, to);
        return;
    }
    u64 now = get_xcr0();
    if (now != xcr0_all)
        xsetbv(0, xcr0_all);
    if (from) {
        from->xcr0 = now;
        __asm__ volatile("xsave64 (%0)" ::"r"(from->area), "a"(-1), "d"(-1) : "memory");
    }
    hide_pointers();
    __asm__ volatile("xrstor64 (%0)" ::"r"(to->area), "a"(-1), "d"(-1) : "memory");
    if (to->xcr0 != xcr0_all)
        xsetbv(0, to->xcr0);
}
