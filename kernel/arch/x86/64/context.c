/* SPDX-License-Identifier: MIT */
/*
 * context.c - initializes contexts, and switches the extended state: by XSAVE if the processor has it (all its features
 * are enabled), else by FXSAVE.
 *
 * The kernel is compiled without vector instructions, so the last owner's registers stay in place until another owner
 * comes.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/features.h>
#include <hal/context.h>
#include <string.h>

#define LEGACY_SIZE 512 /* bytes of FXSAVE; XSAVE has its header behind them */

extern void context_start(void);

static struct xcr all; /* all features of XCR0; 0: no XSAVE */
static bool
    pointers_stay; /* restoring does not overwrite the address of the last x87 instruction if no exception is pending */
static size_t area_size = LEGACY_SIZE;

static inline struct xcr get_xcr0(void)
{
    struct xcr x;
    __asm__ volatile("xgetbv" : "=a"(x.low), "=d"(x.high) : "c"(0));
    return x;
}

static inline void set_xcr0(struct xcr x) { __asm__ volatile("xsetbv" ::"c"(0), "a"(x.low), "d"(x.high)); }

static inline bool is_all(struct xcr x) { return x.low == all.low && x.high == all.high; }

void context_init(struct context *ctx, void *top, void (*entry)(void *), void *arg)
{
    /* The stack as context_switch() leaves it: r15, r14, r13, r12, rbp, rbx, return address, and two words so that
     * the stack is aligned to 16 at context_start's call. Registers that are not read keep the stack's contents. */
    u64 *sp = (u64 *)top - 9;
    sp[2] = (u64)arg;
    sp[3] = (u64)entry;
    sp[6] = (u64)context_start;
    ctx->sp = sp;
}

__init_text void fpu_init_cpu(void)
{
    write_cr0((read_cr0() & ~0xcul) | 0x22); /* no EM, no TS; MP and NE */
    write_cr4(read_cr4() | CR4_OSFXSR | CR4_OSXMMEXCPT);
    pointers_stay = cpuid(0x80000000, 0).eax >= 0x80000008 && !(cpuid(0x80000008, 0).ebx & X86_FEATURE_XSAVEERPTR);
    if (!(cpuid(1, 0).ecx & X86_FEATURE_XSAVE))
        return;
    write_cr4(read_cr4() | CR4_OSXSAVE);
    struct cpuid_regs r = cpuid(0xd, 0);
    all = (struct xcr){ r.eax, r.edx };
    set_xcr0(all);
    area_size = cpuid(0xd, 0).ebx;
}

size_t fpu_state_size(void) { return area_size; }

/* Reset state: x87 control word 0x37f, MXCSR 0x1f80, XSTATE_BV 0 for all the rest. */
static inline void set_controls(void *area)
{
    *(u16 *)area = 0x37f;
    *(u32 *)((char *)area + 24) = 0x1f80;
}

void fpu_state_init(struct fpu *f, void *area)
{
    set_controls(area);
    f->area = area;
    f->xcr0 = all;
}

static __cold __noinline void reset_fxsave(const struct fpu *f)
{
    memset(f->area, 0, LEGACY_SIZE);
    set_controls(f->area);
    __asm__ volatile("fxrstor64 %0" ::"m"(*(const char(*)[LEGACY_SIZE])f->area));
}

void fpu_reset(struct fpu *f)
{
    if (unlikely(!all.low)) {
        reset_fxsave(f);
        return;
    }
    *(u64 *)((char *)f->area + LEGACY_SIZE) = 0; /* XSTATE_BV: what has no bit is loaded with its reset state */
    set_controls(f->area);
    __asm__ volatile("xrstor64 (%0)" ::"r"(f->area), "a"(all.low), "d"(all.high) : "memory");
}

/* Overwrite the address of the last x87 instruction, or the next owner could read the last one's (CVE-2006-1056). */
static inline void hide_pointers(void)
{
    static const u32 zero;
    if (pointers_stay)
        __asm__ volatile("fnclex; emms; fildl %0" ::"m"(zero));
}

static __cold __attribute__((noinline)) void switch_fxsave(struct fpu *from, const struct fpu *to)
{
    if (from)
        __asm__ volatile("fxsave64 %0" : "=m"(*(char(*)[LEGACY_SIZE])from->area));
    hide_pointers();
    __asm__ volatile("fxrstor64 %0" ::"m"(*(const char(*)[LEGACY_SIZE])to->area));
}

/* A guest sets XCR0 itself, and its value stays in place until another owner comes. All features are saved under the
 * full mask. */
static inline void save(struct fpu *f)
{
    struct xcr mask = get_xcr0();
    f->xcr0 = mask;
    if (!is_all(mask)) {
        mask = all;
        set_xcr0(mask);
    }
    __asm__ volatile("xsave64 (%0)" ::"r"(f->area), "a"(mask.low), "d"(mask.high) : "memory");
}

void fpu_switch(struct fpu *from, struct fpu *to)
{
    if (unlikely(!all.low)) {
        switch_fxsave(from, to);
        return;
    }
    if (likely(from != NULL))
        save(from);
    else
        set_xcr0(all);
    hide_pointers();
    __asm__ volatile("xrstor64 (%0)" ::"r"(to->area), "a"(all.low), "d"(all.high) : "memory");
    if (!is_all(to->xcr0))
        set_xcr0(to->xcr0);
}
