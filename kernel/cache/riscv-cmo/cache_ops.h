/* SPDX-License-Identifier: MIT */
/*
 * cache_ops.h (riscv-cmo) - hal/cache.h for parts with Zicbom (RISC-V Base Cache Management Operations 1.0) and blocks
 * of 64 bytes. It compiles, but has never run: QEMU 7.2 has no Zicbom.
 *
 * A FENCE orders an operation with the stores before it and all that follows; one on each side serves all lines of a
 * call. The instructions are written as numbers,
 * because the assembler of Debian 12 does not know them: cbo.inval, cbo.clean, cbo.flush are MISC-MEM, function 2,
 * immediate 0, 1, 2. Zicbom has no operation on a whole cache; the platform has to provide it.
 */
#ifndef AMALGAM_CACHE_OPS_H
#define AMALGAM_CACHE_OPS_H

#define CACHE_LINE 64

#define CACHE_BLOCK_OPERATION(n, p) asm volatile(".insn i 0x0f, 2, x0, %0, " #n ::"r"(p) : "memory")

static inline void cache_before(void) { asm volatile("fence rw, rw" ::: "memory"); }
static inline void cache_after(void) { asm volatile("fence rw, rw" ::: "memory"); }
static inline void cache_op_clean(const volatile void *p) { CACHE_BLOCK_OPERATION(1, p); }
static inline void cache_op_invalidate(const volatile void *p) { CACHE_BLOCK_OPERATION(0, p); }
static inline void cache_op_clean_invalidate(const volatile void *p) { CACHE_BLOCK_OPERATION(2, p); }
static inline void cache_op_poll(const volatile void *p) { CACHE_BLOCK_OPERATION(0, p); }

/* The platform's, linked from its port. */
void cache_clean_all(void);
void cache_invalidate_all(void);
void cache_clean_invalidate_all(void);

#endif
