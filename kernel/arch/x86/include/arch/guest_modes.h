/* SPDX-License-Identifier: MIT */
/* arch/guest_modes.h (x86) - names of general registers, and what follows from a guest's segments and EFER. Included by
 * arch/guest_cpu.h, whose record each back end has for itself. */
#ifndef AMALGAM_ARCH_GUEST_MODES_H
#define AMALGAM_ARCH_GUEST_MODES_H

enum gpr { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI }; /* in the order of their encoding; R8-R15 follow */

/* Return the segment registers, in the order of enum insn_segment (arch/decode.h). */
static inline struct vmcb_segment *guest_segments(struct guest_cpu *cpu)
{
    return (struct vmcb_segment *)((u64)cpu + offsetof(struct guest_cpu, es));
}

/* Return the width of the code segment: 16, 32 or 64 bits (APM vol. 2, 4.8.1). */
static inline unsigned guest_code_bits(const struct guest_cpu *cpu)
{
    if (cpu->efer & EFER_LMA && cpu->cs.attributes & SEGMENT_LONG)
        return 64;
    return cpu->cs.attributes & SEGMENT_BIG ? 32 : 16;
}

/* Return `rip`, which follows an instruction, wrapped to the code segment's width. */
static inline u64 guest_wrap(const struct guest_cpu *cpu, u64 rip) { return rip & ~0ul >> (64 - guest_code_bits(cpu)); }

#endif
