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

static u8 next(struct cursor *c)
{
    if (c->at < c->n)
        return c->code[c->at++];
    c->end = true;
    return 0;
}

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

/* Use the reg field as the register operand. */
static void take_reg(struct cursor *c, u8 reg)
{
    struct insn *i = c->i;

    i->reg = reg | (c->rex & REX_R ? 8 : 0);
    if (i->reg_size == 1 && !c->rex && reg >= 4) {
        i->reg = reg - 4;
        i->high_byte = true;
    }
}

/* How an opcode's operands are encoded. */
enum form {
    MEMORY = 1,    /* ModRM, whose operand is the memory one */
    REG = 2,       /* its reg field is the other, a register */
    TO_REG = 4,    /* the memory operand is the source */
    EXTENDS = 8,   /* of a register that is as wide as the operand size, whatever the memory operand's */
    SIGN = 16,     /* with its sign */
    IMM_BYTE = 32, /* an immediate byte */
    IMM = 64,      /* an immediate of the operand's size, 4 bytes at most */
    OFFSET = 128,  /* no ModRM: an address, and the accumulator */
};

/* The memory operand's bytes: by bit 0 of the opcode (clear: 1), the operand size, that within limits, a number. */
enum size { BY_BIT_0, BYTE = 1, WORD = 2, OPERAND, UP_TO_4, FROM_4 };

#define TWO_BYTE 0x0f00u

/*
 * First the three by which drivers reach nearly all registers.  ADD's entries serve all eight whose opcodes differ from
 * them in bits 3-5. Without REG, the reg field is `first` to `last`, and a higher one a later operation.
 */
static const struct opcode {
    u16 code;
    u8 op, size, form, first, last;
} opcodes[] = {
    { 0x8a, INSN_MOV, BY_BIT_0, MEMORY | REG | TO_REG, 0, 7 },
    { 0x88, INSN_MOV, BY_BIT_0, MEMORY | REG, 0, 7 },
    { 0xc6, INSN_MOV, BY_BIT_0, MEMORY | IMM, 0, 0 },
    { 0x00, INSN_ADD, BY_BIT_0, MEMORY | REG, 0, 7 },
    { 0x02, INSN_ADD, BY_BIT_0, MEMORY | REG | TO_REG, 0, 7 },
    { 0x63, INSN_MOV, UP_TO_4, MEMORY | REG | TO_REG | EXTENDS | SIGN, 0, 7 }, /* MOVSXD */
    { 0x6c, INSN_INS, BY_BIT_0, 0, 0, 0 },
    { 0x6e, INSN_OUTS, BY_BIT_0, 0, 0, 0 },
    { 0x80, INSN_ADD, BY_BIT_0, MEMORY | IMM, 0, 7 },
    { 0x83, INSN_ADD, OPERAND, MEMORY | IMM_BYTE, 0, 7 },
    { 0x84, INSN_TEST, BY_BIT_0, MEMORY | REG, 0, 7 },
    { 0x86, INSN_XCHG, BY_BIT_0, MEMORY | REG, 0, 7 },
    { 0xa0, INSN_MOV, BY_BIT_0, OFFSET | TO_REG, 0, 0 },
    { 0xa2, INSN_MOV, BY_BIT_0, OFFSET, 0, 0 },
    { 0xa4, INSN_MOVS, BY_BIT_0, 0, 0, 0 },
    { 0xaa, INSN_STOS, BY_BIT_0, 0, 0, 0 },
    { 0xac, INSN_LODS, BY_BIT_0, 0, 0, 0 },
    { 0xf6, INSN_TEST, BY_BIT_0, MEMORY | IMM, 0, 0 },
    { 0xf6, INSN_TEST, BY_BIT_0, MEMORY | IMM, 1, 1 },
    { 0xf6, INSN_NOT, BY_BIT_0, MEMORY, 2, 3 }, /* and NEG */
    { 0xfe, INSN_INC, BY_BIT_0, MEMORY, 0, 1 }, /* and DEC */
    { TWO_BYTE | 0xa3, INSN_BT, OPERAND, MEMORY | REG, 0, 7 },
    { TWO_BYTE | 0xab, INSN_BTS, OPERAND, MEMORY | REG, 0, 7 },
    { TWO_BYTE | 0xb0, INSN_CMPXCHG, BY_BIT_0, MEMORY | REG, 0, 7 },
    { TWO_BYTE | 0xb3, INSN_BTR, OPERAND, MEMORY | REG, 0, 7 },
    { TWO_BYTE | 0xb6, INSN_MOV, BYTE, MEMORY | REG | TO_REG | EXTENDS, 0, 7 }, /* MOVZX, MOVSX */
    { TWO_BYTE | 0xb7, INSN_MOV, WORD, MEMORY | REG | TO_REG | EXTENDS, 0, 7 },
    { TWO_BYTE | 0xbe, INSN_MOV, BYTE, MEMORY | REG | TO_REG | EXTENDS | SIGN, 0, 7 },
    { TWO_BYTE | 0xbf, INSN_MOV, WORD, MEMORY | REG | TO_REG | EXTENDS | SIGN, 0, 7 },
    { TWO_BYTE | 0xba, INSN_BT, OPERAND, MEMORY | IMM_BYTE, 4, 7 },
    { TWO_BYTE | 0xbb, INSN_BTC, OPERAND, MEMORY | REG, 0, 7 },
    { TWO_BYTE | 0xc0, INSN_XADD, BY_BIT_0, MEMORY | REG, 0, 7 },
    { TWO_BYTE | 0xc3, INSN_MOV, FROM_4, MEMORY | REG, 0, 7 }, /* MOVNTI, 4 or 8 bytes in any mode */
};

static u8 memory_size(u8 size, unsigned operand, u16 code)
{
    if (size == BY_BIT_0)
        return code & 1 ? operand : 1;
    switch (size) {
    case OPERAND: return operand;
    case UP_TO_4: return MIN(operand, 4u);
    case FROM_4: return MAX(operand, 4u);
    default: return size;
    }
}

/* The operands of `o`, opcode `code`, whose ModRM byte was `m`. */
static int operands(struct cursor *c, const struct opcode *o, u16 code, u8 m)
{
    struct insn *i = c->i;
    u8 operand = operand_size(c), reg = m >> 3 & 7;

    i->size = i->reg_size = memory_size(o->size, operand, code);
    i->to_reg = o->form & TO_REG;
    i->sign = o->form & SIGN;
    i->op = o->op;
    if (o->form & EXTENDS)
        i->reg_size = operand;
    if (o->form & MEMORY) {
        if (m >= 0xc0)
            return -EINVAL;
        skip_address(c, m >> 6, m & 7);
    }
    if (o->form & REG)
        take_reg(c, reg);
    else
        i->op += reg - o->first;
    if (o->form & OFFSET)
        bytes(c, i->addr_size);
    i->has_imm = o->form & (IMM | IMM_BYTE);
    if (i->has_imm)
        i->imm = bytes(c, o->form & IMM ? MIN(i->size, 4u) : 1);
    if (i->op >= INSN_INS && i->size == 8)
        i->size = i->reg_size = 4; /* ports have no 64 bits */
    return 0;
}

static int look_up(struct cursor *c, u16 code)
{
    unsigned of_eight = 0;
    int m = -1;

    if (code == 0x0f)
        code = TWO_BYTE | next(c);
    if (code < 0x40) {
        of_eight = code >> 3;
        code &= 7;
    }
    if (code == 0x63 && c->bits != 64) /* ARPL there */
        return -EINVAL;
    for (unsigned n = 0; n < ARRAY_SIZE(opcodes); n++) {
        const struct opcode *o = &opcodes[n];
        if ((o->size == BY_BIT_0 ? code & ~1u : code) != o->code)
            continue;
        if (m < 0)
            m = o->form & MEMORY ? next(c) : 0;
        unsigned reg = (unsigned)m >> 3 & 7;
        if (reg < o->first || reg > o->last)
            continue;
        int err = operands(c, o, code, (u8)m);
        c->i->op += of_eight;
        return err;
    }
    return -EINVAL;
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
    int r = look_up(&c, opcode);

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
