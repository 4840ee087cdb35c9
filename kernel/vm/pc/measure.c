/* SPDX-License-Identifier: MIT */
/* measure.c - instructions whose operands or length AMD-V does not say: MOV to CR8, and on processors without NRIPS all
 * that are intercepted. */
#include <arch/decode.h>
#include <errors.h>
#include "guest_walk.h"
#include "pc.h"

/* Returns the number of bytes up to the first one of the opcode, with it, if it is `opcode`, which the intercept
 * named; else (the code was changed meanwhile) -EINVAL. */
static __noinline int find_opcode(struct pc_vcpu *v, u8 *code, u8 opcode)
{
    return insn_match(code, code_bytes(v, code), guest_code_bits(vcpu_cpu(&v->vcpu.hal)), opcode);
}

static __cold void measure_prefixed(struct pc_vcpu *v, u8 opcode, unsigned length)
{
    u8 code[INSN_MAX];
    int n = find_opcode(v, code, opcode);
    vcpu_set_next(&v->vcpu.hal, n > 1 ? vcpu_cpu(&v->vcpu.hal)->rip + (u64)n - 1 + length : 0);
}

/* hal_vcpu.measure: find the end of HLT or of an instruction of the 0f map. Nearly all have no prefix, so one byte is
 * read first, with one walk. */
void pc_measure(struct hal_vcpu *h, unsigned length)
{
    struct pc_vcpu *v = pc_of_hal(h);
    struct guest_cpu *cpu = vcpu_cpu(h);
    unsigned one = 1;
    u8 opcode = length == 1 ? 0xf4 : 0x0f;
    const u8 *at = guest_part(&v->vcpu, code_va(cpu), false, &one);
    if (unlikely(!at || *at != opcode)) {
        measure_prefixed(v, opcode, length);
        return;
    }
    u64 next = cpu->rip + length;
    if (unlikely((cpu->rip ^ next) >> 16) && guest_wrap(cpu, next) != next) { /* it wraps only at multiples of 64 KiB */
        next = guest_wrap(cpu, next);
        vcpu_set_next(h, next ? next : RIP_WRAPPED);
        return;
    }
    vcpu_set_next(h, 0);
    if (!cpu->cpl)
        *plain_at(h, cpu->rip) = (struct vcpu_plain){ cpu->rip, at };
}

/* MOV to CR8: 0f 22 /r, with REX directly before it. Bits 4 and up of the value are ignored, as the board does that
 * needs this (quirks.c). */
void pc_write_cr8(struct pc_vcpu *v)
{
    struct guest_cpu *cpu = vcpu_cpu(&v->vcpu.hal);
    u8 code[INSN_MAX + 2] = { 0 };
    int n = find_opcode(v, code, 0x0f);
    if (n < 2)
        return;
    unsigned rex_b = (code[n - 2] & 0xf0) == 0x40 ? code[n - 2] & 1 : 0; /* no other prefix begins with 4 */
    lapic_write(v, 8, (*vcpu_gpr(&v->vcpu.hal, (code[n + 1] & 7) + 8 * rex_b) & 15) << 4);
    vcpu_retire(&v->vcpu.hal, guest_wrap(cpu, cpu->rip + (unsigned)n + 2));
}
