/* SPDX-License-Identifier: MIT */
/*
 * riscv_marker.h - markers in a RISC-V program, for all plugins: instructions without an effect that no compiler emits.
 * A marker for a line is a load, because a plugin gets the addresses of loads. kernel/cache/riscv-marker has the
 * macros.
 *
 *   lb x0 clean, lh x0 invalidate, lbu x0 both, lhu x0 invalidate to poll; of the whole cache slti x0,x0,N (1 clean,
 *   2 invalidate, 3 both); slti x0,x0,256+N: mark N
 */
#ifndef AMALGAM_PLUGIN_RISCV_MARKER_H
#define AMALGAM_PLUGIN_RISCV_MARKER_H

#include <stdint.h>

/* The cache operations; 0: none. */
enum { CLEAN = 1, INVALIDATE = 2, CLEAN_INVALIDATE = 3, INVALIDATE_TO_POLL = 4 };

/* Returns N of slti x0,x0,N, or -1 if it is another instruction, or N is negative. */
static inline int riscv_slti(uint32_t word)
{
    return (word & 0xfffff) == 0x02013 && !(word >> 31) ? (int)(word >> 20) : -1;
}

/* Returns the operation on the line that the instruction loads from. */
static inline unsigned riscv_operation(uint32_t word)
{
    static const uint8_t by_width[] = { CLEAN, INVALIDATE, 0, 0, CLEAN_INVALIDATE, INVALIDATE_TO_POLL, 0, 0 };
    return (word & 0xfff) == 0x003 ? by_width[word >> 12 & 7] : 0;
}

/* Returns the operation on the whole cache. */
static inline unsigned riscv_operation_all(uint32_t word)
{
    int n = riscv_slti(word);
    return n >= CLEAN && n <= CLEAN_INVALIDATE ? (unsigned)n : 0;
}

/* Returns the number of a mark, or a negative number: it is none. */
static inline int riscv_mark(uint32_t word) { return riscv_slti(word) - 256; }

#endif
