/* SPDX-License-Identifier: MIT */
/*
 * coherence_marker.c - the meaning of instructions. A marker is an instruction that has no effect on this board and
 * that no compiler emits. A marker for a line is a load, because a plugin gets the addresses of loads. kernel/cache/
 * has the macros.
 *
 *   RISC-V   riscv_marker.h
 *   i386     82 /7 N, the second encoding of cmpb $N,m8 (it changes the flags): N = 1 clean, 2 invalidate, 3 both,
 *            4 invalidate to poll; 5, 6, 7: this core maps the page MPBT, cached by L2, uncached; 8: its next
 *            interrupt by the local APIC is for the core whose number is the address modulo 512; 9: a service takes the
 *            page away from this core's work;
 *            82 f8 N: of the whole cache (1 to 3), 4 CL1INVMB; 5 a service begins, 6 ends, 7 its core's work waits for
 *            it; 16+N: mark N
 */
#include "coherence.h"

#define RISCV_WFI    0x10500073u
#define RISCV_SYSTEM 0x73u

/* Returns whether this accesses a CSR that reports an interrupt: sip, scause, mip, mcause. */
static bool reads_interrupts(uint32_t word)
{
    uint32_t csr = word >> 20;
    return (word & 0x7f) == RISCV_SYSTEM && word >> 12 & 3 &&
           (csr == 0x144 || csr == 0x142 || csr == 0x344 || csr == 0x342);
}

static struct marker of_riscv(uint32_t word)
{
    if (riscv_operation(word))
        return (struct marker){ OPERATE, riscv_operation(word) };
    if (riscv_operation_all(word))
        return (struct marker){ OPERATE_ALL, riscv_operation_all(word) };
    if (riscv_mark(word) >= 0)
        return (struct marker){ MARK, (unsigned)riscv_mark(word) };
    if (word == RISCV_WFI)
        return (struct marker){ WAIT, 0 };
    return (struct marker){ reads_interrupts(word) ? TAKE : PLAIN, 0 };
}

/* Returns whether this is LOCK OR of a word in memory, which does not return the old value. */
static bool sets_bits(const uint8_t *b, size_t size)
{
    return size >= 3 && b[0] == 0xf0 &&
           (b[1] == 0x08 || b[1] == 0x09 || ((b[1] & 0xfc) == 0x80 && (b[2] & 0x38) == 0x08));
}

static struct marker of_i386(const uint8_t *b, size_t size)
{
    static const uint8_t types[] = { MPBT, NO_FLUSH, UNCACHED };
    if (size == 1 && b[0] == 0xf4) /* HLT */
        return (struct marker){ WAIT, 0 };
    if (sets_bits(b, size))
        return (struct marker){ SET, 0 };
    if (size < 3 || b[0] != 0x82 || (b[1] & 0x38) != 0x38)
        return (struct marker){ PLAIN, 0 };
    unsigned n = b[size - 1];
    bool whole = b[1] >> 6 == 3;
    if (whole && n >= 16)
        return (struct marker){ MARK, n - 16 };
    if (whole && n == 4)
        return (struct marker){ INVALIDATE_MPBT, 0 };
    if (whole && n >= 5 && n <= 7)
        return (struct marker){ SERVICE, n - 5 };
    if (n >= CLEAN && n <= (whole ? CLEAN_INVALIDATE : INVALIDATE_TO_POLL))
        return (struct marker){ whole ? OPERATE_ALL : OPERATE, n };
    if (!whole && n >= 5 && n <= 7)
        return (struct marker){ SET_TYPE, types[n - 5] };
    if (!whole && n == 8)
        return (struct marker){ NAME, 0 };
    if (!whole && n == 9)
        return (struct marker){ LEAVE, 0 };
    return (struct marker){ PLAIN, 0 };
}

struct marker marker_of(const uint8_t *bytes, size_t size, bool i386)
{
    uint32_t word = 0;
    if (i386)
        return of_i386(bytes, size);
    if (size == sizeof(word))
        memcpy(&word, bytes, sizeof(word));
    return of_riscv(word);
}
