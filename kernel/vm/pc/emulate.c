/* SPDX-License-Identifier: MIT */
/*
 * emulate.c - executes a decoded instruction on a device register. A table says for each operation how to compute the
 * result of two operands, which flags change, and where the result goes.
 */
#include <string.h>
#include "guest_walk.h"
#include "pc.h"

#define FLAG_CF   (1u << 0)
#define FLAG_PF   (1u << 2)
#define FLAG_AF   (1u << 4)
#define FLAG_ZF   (1u << 6)
#define FLAG_SF   (1u << 7)
#define FLAG_DF   (1u << 10)
#define FLAG_OF   (1u << 11)
#define FLAGS_ALU (FLAG_CF | FLAG_PF | FLAG_AF | FLAG_ZF | FLAG_SF | FLAG_OF)

/* How an operation computes its result: one of five functions, and modifiers. */
enum how {
    SUM = 0,
    OR = 2,
    AND = 4,
    XOR = 6,
    SECOND = 8, /* the second operand itself */
    FUNCTION = 14,
    ONE = FLAG_CF,   /* with a carry in */
    CARRY = 16,      /* with the carry flag in */
    MINUS = 32,      /* takes the complement of the second operand, and in sums adds one: the difference */
    ALONE = 64,      /* memory is the only operand; the other is 0 */
    SWAPPED = 128,   /* memory is the second operand */
    BIT = 256,       /* the second operand is the number of a bit of the first; that bit goes to the carry flag */
    DISCARD = 512,   /* only the flags are kept */
    EXCHANGE = 1024, /* the value read goes to the register */
};

static const struct operation {
    u16 how, flags;
} operations[] = {
    [INSN_ADD] = { SUM, FLAGS_ALU },
    [INSN_OR] = { OR, FLAGS_ALU },
    [INSN_ADC] = { SUM | CARRY, FLAGS_ALU },
    [INSN_SBB] = { SUM | MINUS | CARRY, FLAGS_ALU },
    [INSN_AND] = { AND, FLAGS_ALU },
    [INSN_SUB] = { SUM | MINUS, FLAGS_ALU },
    [INSN_XOR] = { XOR, FLAGS_ALU },
    [INSN_CMP] = { SUM | MINUS | DISCARD, FLAGS_ALU },
    [INSN_TEST] = { AND | DISCARD, FLAGS_ALU },
    [INSN_MOV] = { SECOND, 0 },
    [INSN_BT] = { AND | BIT | DISCARD, FLAG_CF },
    [INSN_BTS] = { OR | BIT, FLAG_CF },
    [INSN_BTR] = { AND | MINUS | BIT, FLAG_CF },
    [INSN_BTC] = { XOR | BIT, FLAG_CF },
    [INSN_NOT] = { XOR | MINUS | ALONE, 0 },
    [INSN_NEG] = { SUM | MINUS | ALONE | SWAPPED, FLAGS_ALU },
    [INSN_INC] = { SUM | ONE | ALONE, FLAGS_ALU & ~FLAG_CF },
    [INSN_DEC] = { SUM | MINUS | ONE | ALONE, FLAGS_ALU & ~FLAG_CF },
    [INSN_XCHG] = { SECOND | EXCHANGE, 0 },
    [INSN_XADD] = { SUM | EXCHANGE, FLAGS_ALU },
    [INSN_CMPXCHG] = { SUM | MINUS | SWAPPED, FLAGS_ALU }, /* compares the accumulator with memory */
};

/* Read `size` bytes at `reg`, a register or its second byte. */
static u64 reg_get(const void *reg, unsigned size)
{
    u64 value = 0;
    memcpy(&value, reg, size);
    return value;
}

/* Write a register as the processor does: 32 bits clear the upper half, 8 and 16 bits leave the rest. */
static void reg_put(void *reg, unsigned size, u64 value)
{
    if (size == 4) {
        size = 8;
        value = (u32)value;
    }
    memcpy(reg, &value, size);
}

static void *register_of(struct pc_vcpu *v, const struct insn *i)
{
    return (u8 *)vcpu_gpr(&v->vcpu.hal, i->reg) + i->high_byte;
}

/* Compute a result of `size` bytes; the bits above are undefined. *flags has the carry in and becomes the new flags. */
static u64 alu(const struct operation *op, u64 a, u64 b, unsigned size, u64 *flags)
{
    unsigned how = op->how, top = 8 * size - 1;
    u64 minus = how & MINUS ? ~0ull : 0, r, in = 0, out = 0; /* carries into and out of each bit */
    if (how & BIT) {
        b &= top;
        out = a >> b << top;
        b = 1ull << b;
    }
    b ^= minus;
    switch (how & FUNCTION) {
    case OR: r = a | b; break;
    case AND: r = a & b; break;
    case XOR: r = a ^ b; break;
    case SECOND: r = b; break;
    default:
        r = minus ^ (how & CARRY ? *flags : how);
        r = a + b + (r & FLAG_CF);
        in = a ^ b ^ r;
        out = ((a & b) | ((a | b) & in)) ^ minus;
        in ^= minus;
        break;
    }
    u64 shown = r << (63 - top);
    u32 now = (out >> top & 1 ? FLAG_CF : 0) | ((in ^ out) >> top & 1 ? FLAG_OF : 0) | (in & FLAG_AF) |
              (shown ? 0 : FLAG_ZF) | (shown >> 63 ? FLAG_SF : 0) | (__builtin_parity((u8)r) ? 0 : FLAG_PF);
    *flags ^= (*flags ^ now) & op->flags;
    return r;
}

static __noinline void step_over(struct pc_vcpu *v, const struct insn *i)
{
    struct hal_vcpu *h = &v->vcpu.hal;
    vcpu_retire(h, guest_wrap(vcpu_cpu(h), vcpu_cpu(h)->rip + i->length));
}

void emulate(struct pc_vcpu *v, const struct insn *i, gpa_t gpa)
{
    const struct operation *op = &operations[i->op];
    struct guest_cpu *cpu = vcpu_cpu(&v->vcpu.hal);
    void *reg = register_of(v, i);
    u64 own = reg_get(reg, i->reg_size), other = own, memory = 0, flags = cpu->rflags, result;
    unsigned how = op->how;
    bool to_reg = i->to_reg;
    if (i->op != INSN_MOV || to_reg) {
        unsigned above = 64 - 8 * i->size;
        device_access(v, i, gpa, false, &memory);
        memory <<= above;
        memory = i->sign ? (u64)((s64)memory >> above) : memory >> above;
    }
    if (i->has_imm)
        other = i->imm;
    if (how & ALONE)
        other = 0;
    if (i->op == INSN_CMPXCHG)
        other = reg_get(&cpu->rax, i->size);
    if (to_reg || how & SWAPPED)
        result = alu(op, other, memory, i->size, &flags);
    else
        result = alu(op, memory, other, i->size, &flags);
    if (i->op == INSN_CMPXCHG) {
        result = own;
        if (!(flags & FLAG_ZF)) {
            to_reg = true;
            reg = &cpu->rax;
            result = memory;
        }
    }
    if (!(how & DISCARD)) {
        if (!to_reg && !device_access(v, i, gpa, true, &result))
            return;
        if (how & EXCHANGE) {
            to_reg = true;
            result = memory;
        }
        if (to_reg)
            reg_put(reg, i->reg_size, result);
    }
    cpu->rflags = flags;
    step_over(v, i);
}

/* --- string instructions --------------------------------------------------------------- */

/* Return the address of the string's element in memory: ES:RDI if it is written, else segment:RSI. */
static u64 string_va(struct hal_vcpu *h, const struct insn *i, bool write)
{
    unsigned segment = write ? SEG_ES : i->segment;
    u64 va = reg_get(&h->regs[write ? RDI : RSI], i->addr_size);
    if (i->bits == 64 && segment < SEG_FS)
        return va;
    va += guest_segments(vcpu_cpu(h))[segment].base;
    return i->bits == 64 ? va : (u32)va;
}

/* Copy an element between `value` and the operand at `va`, in RAM or another device. Returns false if it could not;
 * the guest then has an exception. */
static bool string_operand(struct pc_vcpu *v, const struct insn *i, u64 va, u64 *value, bool write)
{
    unsigned n = guest_copy(&v->vcpu, va, value, i->size, write);
    if (n == i->size)
        return true;
    va += n;
    gpa_t gpa = guest_walk(&v->vcpu, va, write);
    if (gpa != NO_GPA && !n && i->op < INSN_INS)
        return device_access(v, i, gpa, write, value);
    if (gpa == NO_GPA)
        page_fault(v, va, write);
    else
        not_decoded(v);
    return false;
}

/* Move one element from the device, or to it (`write`). The other operand is in memory or the accumulator. */
static bool string_element(struct pc_vcpu *v, const struct insn *i, u64 addr, bool write)
{
    struct hal_vcpu *h = &v->vcpu.hal;
    bool accumulator = i->op == INSN_STOS || i->op == INSN_LODS;
    u64 va = string_va(h, i, !write), value = vcpu_cpu(h)->rax;
    if (!write) {
        if (!accumulator &&
            guest_walk(&v->vcpu, va, true) == NO_GPA) { /* checked before the read, which may have side effects */
            page_fault(v, va, true);
            return false;
        }
        device_access(v, i, addr, false, &value);
    }
    if (!accumulator && !string_operand(v, i, va, &value, !write))
        return false;
    if (write)
        return device_access(v, i, addr, true, &value);
    if (accumulator)
        reg_put(&vcpu_cpu(h)->rax, i->size, value);
    return true;
}

static void advance(u64 *reg, const struct insn *i, u64 by) { reg_put(reg, i->addr_size, *reg + by); }

/* An iteration is done and another follows: what comes in between, an interrupt or the single-step trap, finds RIP at
 * the instruction and RF set, so that its breakpoint does not hit again (13.1.3, 13.1.4). Returns whether the next
 * iteration may follow at once. */
static bool iteration_ends(struct hal_vcpu *h)
{
    struct guest_cpu *cpu = vcpu_cpu(h);
    vcpu_retire(h, cpu->rip);
    cpu->rflags |= RFLAGS_RF;
    return !(cpu->rflags & RFLAGS_TF);
}

bool emulate_string(struct pc_vcpu *v, const struct insn *i, u64 addr, bool write)
{
    struct hal_vcpu *h = &v->vcpu.hal;
    u64 by = vcpu_cpu(h)->rflags & FLAG_DF ? -(u64)i->size : i->size;
    if (!i->rep || reg_get(&h->regs[RCX], i->addr_size)) {
        if (!string_element(v, i, addr, write))
            return false;
        if (i->op != INSN_STOS && i->op != INSN_INS)
            advance(&h->regs[RSI], i, by);
        if (i->op != INSN_LODS && i->op != INSN_OUTS)
            advance(&h->regs[RDI], i, by);
        if (i->rep) {
            advance(&h->regs[RCX], i, -1ull);
            if (reg_get(&h->regs[RCX], i->addr_size))
                return iteration_ends(h);
        }
    }
    step_over(v, i);
    return false;
}
