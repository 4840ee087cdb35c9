/* SPDX-License-Identifier: MIT */
/*
 * arch/hypercall_numbers.h - the hypercalls that stand for privileged instructions, r11 = number.
 *
 * From HC_FAST on they are dispatched in assembly (syscall_hypercall.S); argument r3, result r3.
 * For any other privileged instruction there is HC_INSTRUCTION: r3 = the instruction's word, its registers
 * are the caller's, so one call serves every encoding.  Registers that are storage have a number each: HC_READ or
 * HC_WRITE plus the register's index in the register page (struct regpage, in words).
 */
#ifndef AMALGAM_ARCH_HYPERCALL_NUMBERS_H
#define AMALGAM_ARCH_HYPERCALL_NUMBERS_H

#define HC_FAST        0x100
#define HC_RFI         0x100
#define HC_MFMSR       0x101
#define HC_MTMSR       0x102
#define HC_WRTEE       0x103 /* r3 as for wrtee: MSR_EE or 0 */
#define HC_WRTEEI0     0x104
#define HC_WRTEEI1     0x105
#define HC_MTEVPR      0x106
#define HC_MTZPR       0x107
#define HC_MTPID       0x108
#define HC_INSTRUCTION 0x109
#define HC_FAST_END    0x10a

#define HC_READ      0x140 /* + index 0..0x12 */
#define HC_WRITE     0x160 /* + index: SRR0, SRR1, SPRG0-3, ESR, DEAR */
#define HC_READ_END  0x153
#define HC_WRITE_END 0x16e

#endif
