/* SPDX-License-Identifier: MIT */
/*
 * csr.h - control and status registers, and the board's interrupt registers. RISC-V Privileged Architecture 1.12 (sstc
 * and AIA: their own specifications), RISC-V ACLINT 1.0; addresses are QEMU's of `virt,aclint=on`, and of
 * `virt,aia=aplic-imsic`, which has no SSWI.
 */
#ifndef FIRMWARE_CSR_H
#define FIRMWARE_CSR_H

#include "table.h"

#define CSR_NAME(name) #name
#define csr_read(name)                                                                                                 \
    ({                                                                                                                 \
        ulong value_;                                                                                                  \
        __asm__ volatile("csrr %0," CSR_NAME(name) : "=r"(value_)::"memory");                                          \
        value_;                                                                                                        \
    })
#define csr_write(name, value) __asm__ volatile("csrw " CSR_NAME(name) ",%0" ::"rK"((ulong)(value)) : "memory")
#define csr_set(name, bits)    __asm__ volatile("csrs " CSR_NAME(name) ",%0" ::"rK"((ulong)(bits)) : "memory")
#define csr_clear(name, bits)  __asm__ volatile("csrc " CSR_NAME(name) ",%0" ::"rK"((ulong)(bits)) : "memory")

/* mie, mip, mideleg */
#define IRQ_SS      (1ul << 1)
#define IRQ_MS      (1ul << 3)
#define IRQ_ST      (1ul << 5)
#define IRQ_MT      (1ul << 7)
#define IRQ_SE      (1ul << 9)
#define IRQ_ME      (1ul << 11)
#define CAUSE_IRQ   (1ul << (__riscv_xlen - 1))
#define CAUSE_MS    (CAUSE_IRQ | 3)
#define CAUSE_MT    (CAUSE_IRQ | 7)
#define CAUSE_ME    (CAUSE_IRQ | 11)
#define CAUSE_ECALL 9 /* ecall from S-mode */

#define MSTATUS_MPP_SHIFT 11
#define MSTATUS_MPP       (3ul << MSTATUS_MPP_SHIFT)
#define MSTATUS_S         (1ul << MSTATUS_MPP_SHIFT)
#define MSTATUS_M         (3ul << MSTATUS_MPP_SHIFT)
#define MSTATUS_RESET     0x7e7fa2ul /* SIE SPIE MPIE SPP VS MPP FS MPRV SUM MXR TVM TW TSR */

/* CSRs whose names older assemblers do not know; arguments of csr_read() and the others */
#define MENVCFG   0x30a /* STCE is the top bit; in two halves on rv32 */
#define MENVCFGH  0x31a
#define SENVCFG   0x10a
#define STIMECMP  0x14d
#define STIMECMPH 0x15d
#define MISELECT  0x350 /* an IMSIC's registers: which one MIREG is; 0x70 eidelivery, 0x72 eithreshold, 0xc0 eie0 */
#define MIREG     0x351
#define MTOPEI    0x35c

#define MSWI         0x02000000ul /* a word for each hart: its machine software interrupt */
#define MTIMECMP     0x02004000ul
#define MTIME        0x0200bff8ul
#define SSWI         0x02f00000ul /* a word for each hart: a store of 1 sets its supervisor software interrupt */
#define SSWI_SIZE    0x4000ul
#define IMSIC        0x24000000ul /* a page for each hart: a store raises the external interrupt of that number, in M-mode */
#define UART         0x10000000ul
#define FINISHER     0x00100000ul
#define FINISH_PASS  0x5555
#define FINISH_FAIL  0x3333
#define FINISH_RESET 0x7777

static inline volatile u32 *reg32(ulong address) { return (volatile u32 *)address; }
static inline void fence(void) { __asm__ volatile("fence rw,rw" ::: "memory"); }
static inline void fence_io(void) { __asm__ volatile("fence iorw,iorw" ::: "memory"); }

static inline void wfi(void) { __asm__ volatile("wfi" ::: "memory"); }

/* Ring a hart's firmware. Stores before the ring are visible there. */
static inline void mswi_ring(u32 hart)
{
    fence_io();
    *reg32(MSWI + 4ul * hart) = 1;
}

/* Clear the rings of this hart. The caller has to check their reasons afterwards, not before. */
static inline void mswi_clear(u32 hart)
{
    *reg32(MSWI + 4ul * hart) = 0;
    fence_io();
}

/* For a loop that waits for another hart in M-mode. WFI with a pending interrupt ends at once, but QEMU then runs the next
 * hart. This makes a ring pending, which stays pending and is taken without a reason after the return to S-mode; so no
 * other ring is lost. */
static inline void relax(u32 hart)
{
    *reg32(MSWI + 4ul * hart) = 1;
    wfi();
}

static inline u64 mtime(void)
{
    u32 high, low;
    do {
        high = *reg32(MTIME + 4);
        low = *reg32(MTIME);
    } while (*reg32(MTIME + 4) != high);
    return (u64)high << 32 | low;
}

/* Set the time from which on `hart` has a machine timer interrupt; all ones: never. */
static inline void mtimecmp_set(u32 hart, u64 when)
{
    *reg32(MTIMECMP + 8ul * hart + 4) = ~0u;
    *reg32(MTIMECMP + 8ul * hart) = (u32)when;
    *reg32(MTIMECMP + 8ul * hart + 4) = (u32)(when >> 32);
}
#endif
