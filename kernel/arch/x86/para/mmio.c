/* SPDX-License-Identifier: MIT */
/*
 * mmio.c - an access to a device's register, which faults because no memory is there: a move between it and a register
 * or a constant, which is how drivers read and write (Developer's Manual vol. 2, MOV and MOVZX).
 *
 * Nothing else is decoded. An access that begins in memory, or through a segment with a base, is not understood either:
 * its operand's address is not the one that faulted.
 */
#include "para.h"

#include <string.h>

#define BYTE_REGS 4u /* AH, CH, DH, BH are the second bytes of the first four registers */

static u8 *register_at(struct para_regs *r, unsigned n, unsigned bytes)
{
    return bytes == 1 && n >= BYTE_REGS ? (u8 *)para_gpr(r, n - BYTE_REGS) + 1 : (u8 *)para_gpr(r, n);
}

/* The operands of MOV's other forms than with a constant, and of MOVZX. Returns whether it is one of them. */
static bool with_register(struct hal_vcpu *v, struct para_insn *i, u8 op, u8 second, struct vcpu_exit *e, u32 *at)
{
    u8 wide = i->word ? 2 : 4;
    bool extended = op == 0x0f && (second == 0xb6 || second == 0xb7), direct = (op & 0xfc) == 0xa0;
    unsigned reg = 0;
    if (!extended && !direct && (op & 0xfc) != 0x88)
        return false;
    e->size = (extended ? second : op) & 1 ? wide : 1;
    if (extended) {
        i->at++;
        e->size = second & 1 ? 2 : 1;
    }
    if (direct) {
        memcpy(at, &i->code[i->at], 4);
        i->at += 4;
    } else if (i->code[i->at] >= 0xc0) {
        return false;
    } else {
        reg = i->code[i->at] >> 3 & 7;
        *at = para_operand(v->regs, i);
    }
    e->write = direct ? op & 2 : !extended && !(op & 2);
    v->load_bytes = extended ? wide : e->size;
    v->load = register_at(v->regs, reg, v->load_bytes);
    memcpy(&e->value, v->load, e->size);
    return true;
}

static bool with_constant(struct hal_vcpu *v, struct para_insn *i, u8 op, struct vcpu_exit *e, u32 *at)
{
    if ((op & 0xfe) != 0xc6 || i->code[i->at] & 0x38 || i->code[i->at] >= 0xc0)
        return false;
    e->size = !(op & 1) ? 1 : i->word ? 2 : 4;
    e->write = true;
    *at = para_operand(v->regs, i);
    i->at = MIN(i->at, INSN_LONGEST - 4);
    memcpy(&e->value, &i->code[i->at], e->size);
    i->at += e->size;
    return true;
}

void para_mmio(struct hal_vcpu *v, struct vcpu_exit *e, u32 va, u32 gpa)
{
    struct para_insn i;
    u32 at = 0;
    *e = (struct vcpu_exit){ .reason = VCPU_EXIT_MMIO, .addr = gpa };
    if (!para_fetch(v, &i))
        return;
    u8 op = i.code[i.at++];
    bool known = with_constant(v, &i, op, e, &at) || with_register(v, &i, op, i.code[i.at], e, &at);
    if (!known || at != va)
        e->size = 0;
    e->length = (u8)i.at;
}

void vcpu_complete_read(struct hal_vcpu *v, const struct vcpu_exit *e, u64 value)
{
    switch (v->load_bytes) {
    case 1: *(u8 *)v->load = (u8)value; break;
    case 2: *(u16 *)v->load = (u16)value; break;
    default: *(u32 *)v->load = (u32)value;
    }
    v->regs->eip += e->length;
}
