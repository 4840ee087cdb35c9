/* SPDX-License-Identifier: MIT */
/*
 * decode.c - prefixes, opcode, ModRM, SIB, displacement, immediate (APM vol. 3 1.2-1.7),
 * for the opcodes of decode.h.  Bytes are taken through next() and bytes(), which
 * count against both the caller's `n` and the architecture's 15.
 */
#include <arch/decode.h>
#include <bytes.h>
#include <errors.h>
#include <string.h>

struct cursor {
    const u8 *code;
    unsigned at, n;
    bool end;         /* ran out of bytes */
    bool o16, a_flip; /* prefixes 66, 67 */
    u8 rex, bits;
    struct insn *i;
};

#define REX_W 8
#define REX_R 4

/* Sign-extended little-endian value of `size` bytes. */
static u64 bytes(struct cursor *c, unsigned size)
{
    u64 v = 0;

    if (!size)
        return 0;
    if (c->n - c->at < size) {
        c->end = true;
        return 0;
    }
    memcpy(&v, c->code + c->at, size);
    c->at += size;
    unsigned shift = 64 - 8 * size;
    return (u64)((s64)(v << shift) >> shift);
}

static u8 next(struct cursor *c) { return (u8)bytes(c, 1); }

static unsigned operand_size(const struct cursor *c)
{
    if (c->rex & REX_W)
        return 8;
    return (c->bits == 16) != c->o16 ? 2 : 4;
}

static u8 prefixes(struct cursor *c)
{
    struct insn *i = c->i;

    i->segment = SEG_DS;
    for (;;) {
        u8 b = next(c);
        switch (b) {
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
            if (c->bits != 64) /* long mode ignores these four */
                i->segment = (b >> 3) & 3;
            break;
        case 0x64:
        case 0x65: i->segment = b - 0x64 + SEG_FS; break;
        case 0x66: c->o16 = true; break;
        case 0x67: c->a_flip = true; break;
        case 0xf0: break; /* LOCK: a device register sees one CPU at a time anyway */
        case 0xf2:
        case 0xf3: i->rep = b; break;
        default:
            if (c->bits == 64 && (b & 0xf0) == 0x40) {
                c->rex = b;
                continue;
            }
            if (c->bits == 64)
                i->addr_size = c->a_flip ? 4 : 8;
            else
                i->addr_size = (c->bits == 16) != c->a_flip ? 2 : 4;
            return b;
        }
        c->rex = 0; /* counts only right before the opcode */
    }
}

/* Step over SIB and displacement: the faulting address came with the exit. */
static void skip_address(struct cursor *c, u8 mod, u8 rm)
{
    unsigned wide = c->i->addr_size == 2 ? 2 : 4;

    if (wide == 4 && rm == 4)
        rm = next(c) & 7; /* SIB: its base takes the place of rm in the rule below */
    if (mod == 0)
        bytes(c, rm == (wide == 2 ? 6 : 5) ? wide : 0);
    else
        bytes(c, mod == 1 ? 1 : wide);
}

/* ModRM and what follows it. Returns the reg field (0-7); -EINVAL for the register form. */
static int modrm(struct cursor *c)
{
    u8 m = next(c);

    if (m >= 0xc0)
        return -EINVAL;
    skip_address(c, m >> 6, m & 7);
    return (m >> 3) & 7;
}

/* Use the reg field as the register operand. */
static void take_reg(struct cursor *c, int reg)
{
    struct insn *i = c->i;

    i->reg = (u8)reg | (c->rex & REX_R ? 8 : 0);
    if (i->reg_size == 1 && !c->rex && reg >= 4) {
        i->reg = (u8)reg - 4;
        i->high_byte = true;
    }
}

static void take_imm(struct cursor *c, unsigned size)
{
    c->i->has_imm = true;
    c->i->imm = bytes(c, MIN(size, 4u));
}

/* ModRM with a register operand: `op` between memory and register. */
static int with_reg(struct cursor *c, unsigned op, bool to_reg)
{
    int reg = modrm(c);

    if (reg < 0)
        return reg;
    c->i->op = (u8)op;
    c->i->to_reg = to_reg;
    take_reg(c, reg);
    return 0;
}

/* ModRM with an immediate of `size` bytes. */
static int with_imm(struct cursor *c, int op, unsigned size)
{
    c->i->op = (u8)op;
    take_imm(c, size);
    return 0;
}

static int string_op(struct cursor *c, unsigned op)
{
    c->i->op = (u8)op;
    if ((op == INSN_INS || op == INSN_OUTS) && c->i->size == 8)
        c->i->size = 4; /* ports have no 64 bits */
    c->i->reg_size = c->i->size;
    c->i->reg = 0;
    return 0;
}

/* MOVZX, MOVSX, MOVSXD: memory of `size` bytes into a whole register. */
static int extending(struct cursor *c, unsigned size, bool sign)
{
    c->i->size = (u8)size;
    c->i->reg_size = (u8)operand_size(c);
    c->i->sign = sign;
    return with_reg(c, INSN_MOV, true);
}

/* Groups 3 (F6, F7) and 4/5 (FE, FF). */
static int group3(struct cursor *c)
{
    static const u8 op[4] = { INSN_TEST, INSN_TEST, INSN_NOT, INSN_NEG };
    int reg = modrm(c);

    if (reg < 0 || reg > 3)
        return -EINVAL;
    c->i->op = op[reg];
    if (reg < 2)
        take_imm(c, c->i->size);
    return 0;
}

static int two_byte(struct cursor *c)
{
    u8 b = next(c);
    int reg;

    c->i->size = c->i->reg_size = b & 1 ? (u8)operand_size(c) : 1;
    switch (b) {
    case 0xa3: return with_reg(c, INSN_BT, false);
    case 0xab: return with_reg(c, INSN_BTS, false);
    case 0xb3: return with_reg(c, INSN_BTR, false);
    case 0xbb: return with_reg(c, INSN_BTC, false);
    case 0xb0:
    case 0xb1: return with_reg(c, INSN_CMPXCHG, false);
    case 0xc0:
    case 0xc1: return with_reg(c, INSN_XADD, false);
    case 0xb6:
    case 0xbe: return extending(c, 1, b & 8);
    case 0xb7:
    case 0xbf: return extending(c, 2, b & 8);
    case 0xba:
        c->i->size = c->i->reg_size = (u8)operand_size(c);
        reg = modrm(c);
        return reg < 4 ? -EINVAL : with_imm(c, INSN_BT + reg - 4, 1);
    case 0xc3:                                                /* MOVNTI */
        c->i->size = c->i->reg_size = c->rex & REX_W ? 8 : 4; /* whatever the mode */
        return with_reg(c, INSN_MOV, false);
    default: return -EINVAL;
    }
}

static int moffs(struct cursor *c, bool to_reg)
{
    bytes(c, c->i->addr_size);
    c->i->op = INSN_MOV;
    c->i->to_reg = to_reg;
    c->i->reg = 0;
    return 0;
}

static int one_byte(struct cursor *c, u8 b)
{
    int reg;

    c->i->size = c->i->reg_size = b & 1 ? (u8)operand_size(c) : 1;
    if (b < 0x40 && (b & 7) < 4)
        return with_reg(c, INSN_ADD + (b >> 3), b & 2);
    switch (b) {
    case 0x0f: return two_byte(c);
    case 0x63: return c->bits == 64 ? extending(c, c->o16 && !(c->rex & REX_W) ? 2 : 4, true) : -EINVAL;
    case 0x6c:
    case 0x6d: return string_op(c, INSN_INS);
    case 0x6e:
    case 0x6f: return string_op(c, INSN_OUTS);
    case 0x80:
    case 0x81:
    case 0x83: reg = modrm(c); return reg < 0 ? reg : with_imm(c, INSN_ADD + reg, b == 0x81 ? c->i->size : 1);
    case 0x84:
    case 0x85: return with_reg(c, INSN_TEST, false);
    case 0x86:
    case 0x87: return with_reg(c, INSN_XCHG, false);
    case 0x88:
    case 0x89: return with_reg(c, INSN_MOV, false);
    case 0x8a:
    case 0x8b: return with_reg(c, INSN_MOV, true);
    case 0xa0:
    case 0xa1: return moffs(c, true);
    case 0xa2:
    case 0xa3: return moffs(c, false);
    case 0xa4:
    case 0xa5: return string_op(c, INSN_MOVS);
    case 0xaa:
    case 0xab: return string_op(c, INSN_STOS);
    case 0xac:
    case 0xad: return string_op(c, INSN_LODS);
    case 0xc6:
    case 0xc7: return modrm(c) ? -EINVAL : with_imm(c, INSN_MOV, c->i->size);
    case 0xf6:
    case 0xf7: return group3(c);
    case 0xfe:
    case 0xff:
        reg = modrm(c);
        c->i->op = reg ? INSN_DEC : INSN_INC;
        return reg == 0 || reg == 1 ? 0 : -EINVAL;
    default: return -EINVAL;
    }
}

static u8 start(struct cursor *c, const u8 *code, unsigned n, unsigned bits, struct insn *insn)
{
    memset(insn, 0, sizeof(*insn));
    *c = (struct cursor){ .code = code, .n = MIN(n, (unsigned)INSN_MAX), .bits = (u8)bits, .i = insn };
    return prefixes(c);
}

int insn_decode(const u8 *code, unsigned n, unsigned bits, struct insn *insn)
{
    struct cursor c;
    u8 opcode = start(&c, code, n, bits, insn);
    int r = one_byte(&c, opcode);

    if (c.end)
        return n < INSN_MAX ? -EFAULT : -EINVAL; /* more than 15 bytes: #GP, nothing to wait for */
    if (r < 0)
        return r;
    insn->length = (u8)c.at;
    return insn->length;
}

int insn_match(const u8 *code, unsigned n, unsigned bits, u8 opcode)
{
    struct insn insn;
    struct cursor c;

    return start(&c, code, n, bits, &insn) == opcode && !c.end ? (int)c.at : -EINVAL;
}
