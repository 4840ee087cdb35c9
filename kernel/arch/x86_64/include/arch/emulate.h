/* SPDX-License-Identifier: MIT */
/*
 * arch/emulate.h - one faulting instruction as a sequence of device accesses.
 *
 *     emulate_begin()                decode, say the first access
 *     while access pending:
 *         read:  emulate_read_done(value)     may ask for a write next (read-modify-write, MOVS)
 *         write: emulate_write_done()
 *     0: cpu->gpr, rflags, rip are as after the instruction
 *
 * A repeated string instruction does one iteration and leaves RIP on itself until
 * its count is used up: the guest takes its interrupts in between, as on hardware.
 * Nothing in *cpu changes before the last step, so a failed emulation can be reported as it was.
 */
#ifndef AMALGAM_ARCH_EMULATE_H
#define AMALGAM_ARCH_EMULATE_H

#include <arch/decode.h>
#include <arch/guest_walk.h>

struct emulate_cpu {
    u64 gpr[16]; /* order of the encoding: RAX RCX RDX RBX RSP RBP RSI RDI R8.. */
    u64 rip, rflags;
    u64 segment_base[6]; /* enum insn_segment; in 64-bit mode all but FS and GS are taken as 0 */
    u8 bits;             /* of the code segment: 16, 32, 64 */
    struct guest_paging paging;
};

struct emulation {
    struct insn insn;
    gpa_t gpa; /* the access that is pending */
    bool write;
    u8 size;      /* bytes: 1, 2, 4, 8 */
    u64 value;    /* write: what to write */
    u64 fault_va; /* -EFAULT: the other operand's address, to raise #PF there */
    bool fault_write;
    u64 old;   /* read-modify-write: what was read */
    u64 flags; /* and the flags to leave */
};

/*
 * Begin the instruction at cpu->rip that faulted on device address `gpa`; `write` is
 * the fault's kind (it tells the sides of MOVS apart). The code bytes are `code`,
 * `n` (fetch them with guest_read_va, or take decode assists).
 * 1: an access is pending in *em; 0: finished (a repeat count of 0); -EINVAL an
 * instruction outside our set, or one whose other operand is no RAM; -EFAULT the code
 * bytes end too early (fault_va 0), or the other operand misses at fault_va.
 */
int emulate_begin(struct emulation *em, struct emulate_cpu *cpu, const u8 *code, unsigned n, gpa_t gpa, bool write);
/* The pending read gave `value`. 1: a write is pending; 0: finished; -EFAULT. */
int emulate_read_done(struct emulation *em, struct emulate_cpu *cpu, u64 value);
/* The pending write was made. 0: finished. */
int emulate_write_done(struct emulation *em, struct emulate_cpu *cpu);

/*
 * Its parts for string instructions, which serve those on ports as well: the element's address by RSI or RDI; the end
 * of one iteration, which steps the registers; over the instruction if no more are due. True: stepped over it.
 */
u64 emulate_string_va(const struct emulate_cpu *cpu, const struct insn *i, unsigned reg);
bool emulate_string_step(struct emulate_cpu *cpu, const struct insn *i);
bool emulate_string_over(struct emulate_cpu *cpu, const struct insn *i);

#endif
