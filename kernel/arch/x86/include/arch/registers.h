/* SPDX-License-Identifier: MIT */
/* arch/registers.h (x86) - numbers of model-specific registers, bits of control registers and flags. */
#ifndef AMALGAM_ARCH_REGISTERS_H
#define AMALGAM_ARCH_REGISTERS_H

#define RFLAGS_TF (1ul << 8)
#define RFLAGS_IF (1ul << 9)
#define RFLAGS_RF (1ul << 16)
/* Of a program: what it begins with (IF), and what it can set by POPF (CF, PF, AF, ZF, SF, TF, DF, OF, AC, ID). */
#define RFLAGS_START 0x202
#define RFLAGS_USER  0x240dd5

#define DR6_BS (1ul << 14) /* a single step */

#define MSR_EFER         0xc0000080u
#define MSR_GS_BASE      0xc0000101u
#define MSR_PAT          0x277u
#define MSR_APIC_BASE    0x1bu
#define MSR_TSC_AUX      0xc0000103u
#define MSR_TSC_DEADLINE 0x6e0u
#define MSR_X2APIC_ICR   0x830u
#define MSR_PRED_CMD     0x49u
#define PRED_CMD_IBPB    1 /* forget what branches were trained to */

#define EFER_SCE   (1ul << 0)
#define EFER_LME   (1ul << 8)
#define EFER_LMA   (1ul << 10)
#define EFER_NXE   (1ul << 11)
#define EFER_SVME  (1ul << 12)
#define EFER_FFXSR (1ul << 14)

#define CR0_WP         (1ul << 16)
#define CR0_AM         (1ul << 18)
#define CR0_PG         (1ul << 31)
#define CR4_PAE        (1ul << 5)
#define CR4_MCE        (1ul << 6)
#define CR4_LA57       (1ul << 12)
#define CR4_PGE        (1ul << 7)
#define CR4_OSFXSR     (1ul << 9)
#define CR4_OSXMMEXCPT (1ul << 10)
#define CR4_UMIP       (1ul << 11)
#define CR4_OSXSAVE    (1ul << 18)
#define CR4_SMEP       (1ul << 20)
#define CR4_SMAP       (1ul << 21)

#endif
