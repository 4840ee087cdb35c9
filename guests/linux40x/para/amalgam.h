/* SPDX-License-Identifier: MIT */
/*
 * amalgam.h - Linux for the 405, paravirtualized: the tools put this file before every C and assembly file of the
 * kernel, so that its own sources stay as they are.
 *
 * Registers that the hypervisor keeps in the register page (docs/hypercalls.md) become loads and stores there; MSR[EE]
 * is written there, followed by a look whether something waits for it; rfi and, in C, all other privileged registers
 * become hypercalls; a TLB miss ends with one call in place of two tlbwe, a mtspr PID and an rfi. What is left, in
 * assembly that runs now and then, traps as in an unmodified kernel.
 *
 * Numbers: displacements from address 0, which reach the page at 0xfffff000; the page's layout is struct regpage of the
 * hypervisor's arch/vm.h.
 */
#if !defined(_ASM_AMALGAM_H) && !defined(LINKER_SCRIPT) /* linker scripts are preprocessed with the same options */
#define _ASM_AMALGAM_H

#define AMALGAM_PAGE      -0x1000
#define AMALGAM_MSR       (AMALGAM_PAGE + 0x44)
#define AMALGAM_ATTENTION (AMALGAM_PAGE + 0x4c)
#define AMALGAM_SCRATCH   (AMALGAM_PAGE + 0x50)
#define AMALGAM_SPRG(n)   (AMALGAM_PAGE + 0x10 + 4 * (n))

#include <asm/amalgam_calls.h>

#ifdef __ASSEMBLY__
/* clang-format off */

    .macro GUEST_SLOT access, register, spr, writes
    .if (\spr) == 26 || (\spr) == 27
    \access \register, AMALGAM_PAGE + 4 * ((\spr) - 26)(0)
    .elseif (\spr) >= 272 && (\spr) <= 279
    \access \register, AMALGAM_SPRG((\spr) - 272)(0)
    .elseif (\spr) == 980 || (\spr) == 981 || (!\writes && (\spr) == 982)
    \access \register, AMALGAM_PAGE + 0x30 + 4 * ((\spr) - 980)(0)
    .elseif !\writes && (\spr) == 945
    \access \register, AMALGAM_PAGE + 0x3c(0)
    .elseif \writes
    mtspr   \spr, \register
    .else
    mfspr   \register, \spr
    .endif
    .endm
    .macro GUEST_MFSPR register, spr
    GUEST_SLOT lwz, \register, \spr, 0
    .endm
    .macro GUEST_MTSPR spr, register
    GUEST_SLOT stw, \register, \spr, 1
    .endm
    .macro GUEST_MFMSR register
    lwz     \register, AMALGAM_MSR(0)
    .endm
    /* The call takes r11 from scratch[0], so that no register is lost. */
    .macro GUEST_RFI
    stw     11, AMALGAM_SCRATCH(0)
    li      11, AMALGAM_RFI
    sc
    .endm
    /* The end of a TLB miss: index, tag and data in r9, r10, r11; PID and CR in r12; where their contents wait. */
    .macro GUEST_TLB_MISS_DONE spr9, spr10, spr11, spr12
    stw     9, AMALGAM_SCRATCH + 4(0)
    stw     10, AMALGAM_SCRATCH + 8(0)
    stw     11, AMALGAM_SCRATCH + 12(0)
    stw     12, AMALGAM_SCRATCH + 16(0)
    mtcrf   0x80, 12
    GUEST_MFSPR 11, \spr11
    stw     11, AMALGAM_SCRATCH(0)
    GUEST_MFSPR 9, \spr9
    GUEST_MFSPR 10, \spr10
    GUEST_MFSPR 12, \spr12
    li      11, AMALGAM_TLB_LOAD
    sc
    .endm
#define mfspr GUEST_MFSPR
#define mtspr GUEST_MTSPR
#define mfmsr GUEST_MFMSR
#define rfi   GUEST_RFI

/* clang-format on */
#else

#include <asm/reg.h>

/* A call that stands for an instruction: it keeps all registers but r3. */
static __always_inline unsigned long amalgam_insn(unsigned long number, unsigned long a, unsigned long b)
{
    register unsigned long r11 asm("r11") = number;
    register unsigned long r3 asm("r3") = a;
    register unsigned long r4 asm("r4") = b;

    asm volatile("sc" : "+r"(r3) : "r"(r4), "r"(r11) : "memory");
    return r3;
}

static __always_inline unsigned long amalgam_load(int displacement)
{
    unsigned long value;

    asm volatile("lwz %0, %1(0)" : "=r"(value) : "i"(displacement) : "memory");
    return value;
}

static __always_inline void amalgam_store(int displacement, unsigned long value)
{
    asm volatile("stw %0, %1(0)" : : "r"(value), "i"(displacement) : "memory");
}

/* An interrupt between load and store returns with the same MSR, so the store takes nothing back. */
static __always_inline void amalgam_set_ee(unsigned long value)
{
    unsigned long msr = amalgam_load(AMALGAM_MSR);

    amalgam_store(AMALGAM_MSR, (msr & ~MSR_EE) | (value & MSR_EE));
    if ((value & MSR_EE) && amalgam_load(AMALGAM_ATTENTION))
        amalgam_insn(AMALGAM_WRTEE, MSR_EE, 0);
}

/* Where the page has a register, or 0; those of the second line are there to be read only. */
#define AMALGAM_STORED(rn)                                                                                             \
    ((rn) == SPRN_SRR0                              ? AMALGAM_PAGE                                                     \
     : (rn) == SPRN_SRR1                            ? AMALGAM_PAGE + 4                                                 \
     : (rn) == SPRN_ESR                             ? AMALGAM_PAGE + 0x30                                              \
     : (rn) == SPRN_DEAR                            ? AMALGAM_PAGE + 0x34                                              \
     : (rn) >= SPRN_SPRG0 && (rn) <= SPRN_SPRG0 + 7 ? AMALGAM_SPRG((rn)-SPRN_SPRG0)                                    \
                                                    : 0)
#define AMALGAM_READ(rn)                                                                                               \
    ((rn) == SPRN_EVPR ? AMALGAM_PAGE + 0x38 : (rn) == SPRN_PID ? AMALGAM_PAGE + 0x3c : AMALGAM_STORED(rn))
#define AMALGAM_PRIVILEGED(rn) ((rn)&0x10)

/* Of another processor: named in code that is left out, but looked at by these macros. */
#define SPRN_M_TWB             0
#define SPRN_M_CASID           0

#undef mfmsr
#undef mtmsr
#undef mfspr
#undef mtspr
#define mfmsr()  amalgam_load(AMALGAM_MSR)
#define mtmsr(v) ((void)amalgam_insn(AMALGAM_MTMSR, (v), 0))
#define wrtee(v) amalgam_set_ee(v)
#define mfspr(rn)                                                                                                      \
    ({                                                                                                                 \
        unsigned long amalgam_value_;                                                                                  \
        if (AMALGAM_READ(rn))                                                                                          \
            amalgam_value_ = amalgam_load(AMALGAM_READ(rn));                                                           \
        else if (AMALGAM_PRIVILEGED(rn))                                                                               \
            amalgam_value_ = amalgam_insn(AMALGAM_MFSPR, (rn), 0);                                                     \
        else                                                                                                           \
            asm volatile("mfspr %0, %1" : "=r"(amalgam_value_) : "i"(rn));                                             \
        amalgam_value_;                                                                                                \
    })
#define mtspr(rn, v)                                                                                                   \
    ({                                                                                                                 \
        if (AMALGAM_STORED(rn))                                                                                        \
            amalgam_store(AMALGAM_STORED(rn), (unsigned long)(v));                                                     \
        else if ((rn) == SPRN_PID)                                                                                     \
            amalgam_insn(AMALGAM_MTPID, (unsigned long)(v), 0);                                                        \
        else if (AMALGAM_PRIVILEGED(rn))                                                                               \
            amalgam_insn(AMALGAM_MTSPR, (rn), (unsigned long)(v));                                                     \
        else                                                                                                           \
            asm volatile("mtspr %0, %1" : : "i"(rn), "r"((unsigned long)(v)) : "memory");                              \
    })

void amalgam_early_console(void);

#endif
#endif
