/* SPDX-License-Identifier: MIT */
/*
 * regs.h - register numbers and bits of the PowerPC 405 (PPC405 User's Manual,
 * chapters 3, 7, 9, 10), for C and assembly.
 */
#ifndef AMALGAM_ARCH_REGS_H
#define AMALGAM_ARCH_REGS_H

/* special purpose registers */
#define SPR_XER    1
#define SPR_LR     8
#define SPR_CTR    9
#define SPR_SRR0   26
#define SPR_SRR1   27
#define SPR_USPRG0 256
#define SPR_SPRG0  272
#define SPR_SPRG1  273
#define SPR_SPRG2  274
#define SPR_SPRG3  275
#define SPR_SPRG4  276
#define SPR_SPRG5  277
#define SPR_SPRG6  278
#define SPR_SPRG7  279
#define SPR_TBL    284 /* write; read by mftb */
#define SPR_TBU    285
#define SPR_PVR    287
#define SPR_ZPR    944
#define SPR_PID    945
#define SPR_CCR0   947
#define SPR_IAC3   948
#define SPR_IAC4   949
#define SPR_DVC1   950
#define SPR_DVC2   951
#define SPR_SGR    953
#define SPR_DCWR   954
#define SPR_SLER   955
#define SPR_SU0R   956
#define SPR_DBCR1  957
#define SPR_ICDBDR 979
#define SPR_ESR    980
#define SPR_DEAR   981
#define SPR_EVPR   982
#define SPR_TSR    984
#define SPR_TCR    986
#define SPR_PIT    987
#define SPR_SRR2   990
#define SPR_SRR3   991
#define SPR_DBSR   1008
#define SPR_DBCR0  1010
#define SPR_IAC1   1012
#define SPR_IAC2   1013
#define SPR_DAC1   1014
#define SPR_DAC2   1015
#define SPR_DCCR   1018
#define SPR_ICCR   1019

/* machine state register */
#define MSR_WE  0x00040000 /* wait */
#define MSR_CE  0x00020000 /* critical interrupts */
#define MSR_EE  0x00008000 /* external interrupts, PIT, FIT */
#define MSR_PR  0x00004000 /* problem state */
#define MSR_FP  0x00002000
#define MSR_ME  0x00001000
#define MSR_DWE 0x00000400
#define MSR_DE  0x00000200
#define MSR_IR  0x00000020
#define MSR_DR  0x00000010

/* exception syndrome register */
#define ESR_PIL 0x08000000 /* illegal instruction */
#define ESR_PPR 0x04000000 /* privileged instruction */
#define ESR_PTR 0x02000000 /* trap */
#define ESR_DST 0x00800000 /* a store */
#define ESR_DIZ 0x00400000 /* zone fault */

/* timer status and control */
#define TSR_ENW 0x80000000
#define TSR_WIS 0x40000000
#define TSR_PIS 0x08000000
#define TSR_FIS 0x04000000
#define TCR_WRC 0x30000000
#define TCR_WIE 0x08000000
#define TCR_PIE 0x04000000
#define TCR_FIE 0x00800000
#define TCR_ARE 0x00400000

/* TLB entry, high word (tlbwe WS=0) and low word (WS=1) */
#define TLBHI_SIZE(s)    ((s) << 7) /* 1 KiB << 2s, s = 1..7 */
#define TLBHI_SIZE_OF(w) (((w) >> 7) & 7)
#define TLBHI_V          0x00000040
#define TLBHI_E          0x00000020
#define TLBLO_EX         0x00000200
#define TLBLO_WR         0x00000100
#define TLBLO_ZSEL(z)    ((z) << 4)
#define TLBLO_W          0x00000008
#define TLBLO_I          0x00000004
#define TLBLO_G          0x00000001

/* DBCR0 (debug control): a write of these bits resets the chip. */
#define DBCR0_RST_SYSTEM 0x30000000
#define DBCR0_RST_MASK   0x30000000

/* exception vectors, offsets from EVPR */
#define VEC_CRITICAL 0x0100
#define VEC_MCHECK   0x0200
#define VEC_DSI      0x0300
#define VEC_ISI      0x0400
#define VEC_EXTERNAL 0x0500
#define VEC_ALIGN    0x0600
#define VEC_PROGRAM  0x0700
#define VEC_SC       0x0c00
#define VEC_PIT      0x1000
#define VEC_FIT      0x1010
#define VEC_WDT      0x1020
#define VEC_DTLB     0x1100
#define VEC_ITLB     0x1200
#define VEC_DEBUG    0x2000

/* universal interrupt controller of the 405EP, device control registers (405EP UM, 10) */
#define DCR_UIC 0x0c0
#define UIC_SR  0 /* status, write 1 to clear */
#define UIC_ER  2
#define UIC_CR  3 /* 1: critical */
#define UIC_PR  4 /* polarity */
#define UIC_TR  5 /* 1: edge */
#define UIC_MSR 6 /* SR & ER, read only */
#define UIC_VR  7
#define UIC_VCR 8

#endif
