/* SPDX-License-Identifier: MIT */
/*
 * emulate.c - what a decoded instruction does with a device register.
 *
 * An instruction is at most a read and a write.  Everything it changes in the CPU is
 * changed at its end: by finish_load() and friends after the read when there is
 * nothing to write, in emulate_write_done() otherwise.
 */
#include <arch/emulate.h>
#include <errors.h>
#include <string.h>

#define FLAG_CF   (1u << 0)
#define FLAG_PF   (1u << 2)
#define FLAG_AF   (1u << 4)
#define FLAG_ZF   (1u << 6)
#define FLAG_SF   (1u << 7)
#define FLAG_DF   (1u << 10)
#define FLAG_OF   (1u << 11)
#define FLAG_RF   (1u << 16)
#define FLAGS_ALU (FLAG_CF | FLAG_PF | FLAG_AF | FLAG_ZF | FLAG_SF | FLAG_OF)

enum { RAX = 0, RCX = 1, RSI = 6, RDI = 7 };

static u64 mask_of(unsigned size) { return ~0ull >> (64 - 8 * size); }

static u64 get_reg(const struct emulate_cpu *cpu, const struct insn *i)
{
    u64 v = cpu->gpr[i->reg & 15];
    return (i->high_byte ? v >> 8 : v) & mask_of(i->reg_size);
}

/* As the processor does: 32 bits clear the upper half, 8 and 16 leave the rest. */
static void put_reg(u64 *reg, unsigned size, bool high_byte, u64 value)
{
    unsigned shift = high_byte ? 8 : 0;
    u64 mask = size == 4 ? ~0ull : mask_of(size) << shift;
    if (size == 4)
        value = (u32)value;
    *reg = (*reg & ~mask) | (value << shift & mask);
}

static u64 result_flags(u64 r, unsigned size)
{
    r &= mask_of(size);
    return (r ? 0 : FLAG_ZF) | (r >> (8 * size - 1) ? FLAG_SF : 0) | (__builtin_parity((u8)r) ? 0 : FLAG_PF);
}

/* a op b of `size` bytes; *flags has the carry in and gets the six arithmetic flags. */
static u64 alu(unsigned op, u64 a, u64 b, unsigned size, u64 *flags)
{
    u64 carry = (op == INSN_ADC || op == INSN_SBB) && (*flags & FLAG_CF), r, out = 0, over = 0, half;
    switch (op) {
    case INSN_ADD:
    case INSN_ADC:
    case INSN_XADD:
    case INSN_INC:
        r = a + b + carry;
        out = (a & b) | ((a | b) & ~r);
        over = (a ^ r) & (b ^ r);
        break;
    case INSN_OR: r = a | b; break;
    case INSN_AND:
    case INSN_TEST: r = a & b; break;
    case INSN_XOR: r = a ^ b; break;
    default: /* SUB, SBB, CMP, CMPXCHG, DEC, NEG */
        r = a - b - carry;
        out = (~a & b) | ((~a | b) & r);
        over = (a ^ b) & (a ^ r);
        break;
    }
    unsigned top = 8 * size - 1;
    bool logic = op == INSN_OR || op == INSN_AND || op == INSN_TEST || op == INSN_XOR;
    half = logic ? 0 : a ^ b ^ r;
    u64 kept = *flags & ~(u64)FLAGS_ALU;
    if (op == INSN_INC || op == INSN_DEC)
        out = (*flags & FLAG_CF) << top;
    *flags = kept | result_flags(r, size) | (out >> top & 1 ? FLAG_CF : 0) | (over >> top & 1 ? FLAG_OF : 0) |
             (half & FLAG_AF);
    return r & mask_of(size);
}

static void step_over(struct emulate_cpu *cpu, const struct insn *i)
{
    u64 rip = cpu->rip + i->length;
    cpu->rip = cpu->bits == 64 ? rip : cpu->bits == 32 ? (u32)rip : (u16)rip;
    cpu->rflags &= ~(u64)FLAG_RF;
}

/* Step over the instruction and set its flags. */
static int finish(struct emulation *em, struct emulate_cpu *cpu)
{
    cpu->rflags = em->flags;
    step_over(cpu, &em->insn);
    return 0;
}

static int want_read(struct emulation *em)
{
    em->write = false;
    return 1;
}

static int want_write(struct emulation *em, u64 value)
{
    em->write = true;
    em->value = value & mask_of(em->size);
    return 1;
}

/* --- string instructions --------------------------------------------------------------- */

u64 emulate_string_va(const struct emulate_cpu *cpu, const struct insn *i, unsigned reg)
{
    unsigned segment = reg == RDI ? SEG_ES : i->segment;
    u64 base = cpu->bits == 64 && segment < SEG_FS ? 0 : cpu->segment_base[segment];
    u64 va = base + (cpu->gpr[reg] & mask_of(i->addr_size));
    return cpu->bits == 64 ? va : (u32)va;
}

static void advance(struct emulate_cpu *cpu, const struct insn *i, unsigned reg, u64 by)
{
    put_reg(&cpu->gpr[reg], i->addr_size, false, cpu->gpr[reg] + by);
}

bool emulate_string_over(struct emulate_cpu *cpu, const struct insn *i)
{
    if (i->rep && cpu->gpr[RCX] & mask_of(i->addr_size))
        return false;
    step_over(cpu, i);
    return true;
}

bool emulate_string_step(struct emulate_cpu *cpu, const struct insn *i)
{
    u64 by = cpu->rflags & FLAG_DF ? -(u64)i->size : i->size;
    if (i->op != INSN_STOS && i->op != INSN_INS)
        advance(cpu, i, RSI, by);
    if (i->op != INSN_LODS && i->op != INSN_OUTS)
        advance(cpu, i, RDI, by);
    if (i->rep)
        advance(cpu, i, RCX, -1ull);
    return emulate_string_over(cpu, i);
}

static int finish_string(struct emulation *em, struct emulate_cpu *cpu)
{
    emulate_string_step(cpu, &em->insn);
    return 0;
}

/* The other operand at `va` is not plain RAM: a page fault of the guest's, or more than we do. */
static int other_operand(struct emulation *em, const struct emulate_cpu *cpu, u64 va, bool write)
{
    gpa_t gpa;
    if (!guest_walk(&cpu->paging, va, write, &gpa))
        return -EINVAL;
    em->fault_va = va;
    em->fault_write = write;
    return -EFAULT;
}

static int begin_movs(struct emulation *em, struct emulate_cpu *cpu, bool write)
{
    u64 va = emulate_string_va(cpu, &em->insn, RSI), value = 0, n;
    if (!write)
        return want_read(em);
    n = guest_read_va(&cpu->paging, va, &value, em->size);
    return n == em->size ? want_write(em, value) : other_operand(em, cpu, va + n, false);
}

static int movs_read(struct emulation *em, struct emulate_cpu *cpu, u64 value)
{
    u64 va = emulate_string_va(cpu, &em->insn, RDI), n = guest_write_va(&cpu->paging, va, &value, em->size);
    gpa_t gpa;
    if (n == em->size)
        return finish_string(em, cpu);
    if (!n && !guest_walk(&cpu->paging, va, true, &gpa)) { /* device to device */
        em->gpa = gpa;
        return want_write(em, value);
    }
    return other_operand(em, cpu, va + n, true);
}

static int begin_string(struct emulation *em, struct emulate_cpu *cpu, bool write)
{
    const struct insn *i = &em->insn;
    if (i->rep && emulate_string_over(cpu, i))
        return 0;
    switch (i->op) {
    case INSN_MOVS: return begin_movs(em, cpu, write);
    case INSN_STOS: return want_write(em, cpu->gpr[RAX]);
    case INSN_LODS: return want_read(em);
    default: return -EINVAL; /* INS and OUTS belong to ports */
    }
}

/* --- the three calls ------------------------------------------------------------------- */

int emulate_begin(struct emulation *em, struct emulate_cpu *cpu, const u8 *code, unsigned n, gpa_t gpa, bool write)
{
    struct insn *i = &em->insn;
    memset(em, 0, sizeof(*em));
    int r = insn_decode(code, n, cpu->bits, i);
    if (r < 0)
        return r;
    em->gpa = gpa;
    em->size = i->size;
    em->flags = cpu->rflags;
    if (i->op >= INSN_MOVS)
        return begin_string(em, cpu, write);
    if (i->op == INSN_MOV && !i->to_reg)
        return want_write(em, i->has_imm ? i->imm : get_reg(cpu, i));
    return want_read(em);
}

/* BT and its kin: bit number modulo the operand's size, as the address already is the operand's. */
static int bit_op(struct emulation *em, struct emulate_cpu *cpu, u64 value, u64 operand)
{
    u64 bit = 1ull << (operand & (8 * em->size - 1));
    em->flags = (em->flags & ~(u64)FLAG_CF) | (value & bit ? FLAG_CF : 0);
    switch (em->insn.op) {
    case INSN_BTS: return want_write(em, value | bit);
    case INSN_BTR: return want_write(em, value & ~bit);
    case INSN_BTC: return want_write(em, value ^ bit);
    default: return finish(em, cpu);
    }
}

static int load(struct emulation *em, struct emulate_cpu *cpu, u64 value)
{
    const struct insn *i = &em->insn;
    if (i->sign) {
        unsigned shift = 64 - 8 * i->size;
        value = (u64)((s64)(value << shift) >> shift);
    }
    put_reg(&cpu->gpr[i->reg], i->reg_size, i->high_byte, value);
    return finish(em, cpu);
}

static int cmpxchg(struct emulation *em, struct emulate_cpu *cpu, u64 value)
{
    u64 accumulator = cpu->gpr[RAX] & mask_of(em->size);
    alu(INSN_CMP, accumulator, value, em->size, &em->flags);
    if (accumulator == value)
        return want_write(em, get_reg(cpu, &em->insn));
    put_reg(&cpu->gpr[RAX], em->size, false, value);
    return finish(em, cpu);
}

/* One of the eight of the opcode map, or TEST. */
static int arithmetic(struct emulation *em, struct emulate_cpu *cpu, u64 value, u64 operand)
{
    const struct insn *i = &em->insn;
    u64 a = i->to_reg ? operand : value, b = i->to_reg ? value : operand;
    u64 r = alu(i->op, a, b & mask_of(em->size), em->size, &em->flags);
    if (i->op == INSN_CMP || i->op == INSN_TEST)
        return finish(em, cpu);
    if (!i->to_reg)
        return want_write(em, r);
    put_reg(&cpu->gpr[i->reg], i->reg_size, i->high_byte, r);
    return finish(em, cpu);
}

int emulate_read_done(struct emulation *em, struct emulate_cpu *cpu, u64 value)
{
    const struct insn *i = &em->insn;
    u64 operand = i->has_imm ? i->imm : get_reg(cpu, i);
    value &= mask_of(em->size);
    em->old = value;
    switch (i->op) {
    case INSN_MOV: return load(em, cpu, value);
    case INSN_MOVS: return movs_read(em, cpu, value);
    case INSN_LODS: put_reg(&cpu->gpr[RAX], em->size, false, value); return finish_string(em, cpu);
    case INSN_XCHG: return want_write(em, operand);
    case INSN_XADD: return want_write(em, alu(i->op, value, operand, em->size, &em->flags));
    case INSN_CMPXCHG: return cmpxchg(em, cpu, value);
    case INSN_NOT: return want_write(em, ~value);
    case INSN_NEG: return want_write(em, alu(i->op, 0, value, em->size, &em->flags));
    case INSN_INC:
    case INSN_DEC: return want_write(em, alu(i->op, value, 1, em->size, &em->flags));
    case INSN_BT:
    case INSN_BTS:
    case INSN_BTR:
    case INSN_BTC: return bit_op(em, cpu, value, operand);
    default: return arithmetic(em, cpu, value, operand);
    }
}

int emulate_write_done(struct emulation *em, struct emulate_cpu *cpu)
{
    const struct insn *i = &em->insn;
    if (i->op >= INSN_MOVS)
        return finish_string(em, cpu);
    if (i->op == INSN_XCHG || i->op == INSN_XADD)
        put_reg(&cpu->gpr[i->reg], i->reg_size, i->high_byte, em->old);
    return finish(em, cpu);
}
