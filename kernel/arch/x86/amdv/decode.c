/* SPDX-License-Identifier: MIT */
/*
 * decode.c - prefixes, opcode, ModRM, SIB, displacement, immediate (APM vol. 3 1.2-1.7), for the opcodes of decode.h.
 * Bytes are read from a copy followed by zeros, long enough for any instruction that begins in it. Whether the
 * instruction ends within the given bytes is checked once, at the end.
 */
#include <arch/decode.h>
#include <bytes.h>
#include <errors.h>
#include <string.h>

/* The prefixes: segments in the order of enum insn_segment, then others. */
static const u8 prefix[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3 };
enum {
    OPERAND_SIZE = 6,
    ADDRESS_SIZE,
    LOCK,
    REPNE,
    REP,
    PREFIXES
}; /* LOCK is ignored: a device is accessed by one CPU at a time */

struct cursor {
    struct insn *i;
    unsigned at, n;
    u8 rex;
    bool seen[PREFIXES];
    u8 code[32]; /* INSN_MAX and 13 more: SIB, displacement, eight bytes for an immediate */
};

#define REX_W 8
#define REX_R 4

static unsigned next(struct cursor *c) { return c->code[c->at++]; }

/* Return the size of an operand or address: `usual`, or with a prefix for the other size that one. */
static u8 size_by(u8 usual, bool other) { return !other ? usual : usual == 4 ? 2 : 4; }

static u8 prefixes(struct cursor *c)
{
    struct insn *i = c->i;

    for (;;) {
        u8 b = next(c);
        unsigned n = 0;
        while (n < PREFIXES && prefix[n] != b)
            n++;
        if (n == PREFIXES) {
            if (i->bits != 64 || (b & 0xf0) != 0x40)
                return b;
            c->rex = b;
            continue;
        }
        c->rex = 0; /* REX counts only directly before the opcode */
        c->seen[n] = true;
        if (n >= REPNE)
            i->rep = b;
        else if (n <= SEG_GS && (n >= SEG_FS || i->bits != 64)) /* long mode ignores the first four */
            i->segment = n;
    }
}

/* Skip SIB and displacement; the exit brings the address. */
static void skip_address(struct cursor *c, unsigned mod, unsigned rm)
{
    unsigned wide = c->i->addr_size == 2 ? 2 : 4;

    if (wide == 4 && rm == 4)
        rm = next(c) & 7; /* SIB: below, its base takes the place of rm */
    if (mod == 1)
        c->at++;
    else if (mod == 2 || rm == (wide == 2 ? 6 : 5))
        c->at += wide;
}

/* The encoding of an opcode's operands. */
enum form {
    MEMORY = 1,    /* ModRM with a memory operand */
    REG = 2,       /* its reg field is the other operand, a register */
    TO_REG = 4,    /* the memory operand is the source */
    EXTENDS = 8,   /* the register has the operand size, whatever the memory operand's */
    SIGN = 16,     /* the sign is extended */
    IMM_BYTE = 32, /* an immediate byte */
    IMM = 64,      /* an immediate of the operand's size, 4 bytes at most */
    OFFSET = 128,  /* no ModRM: an address, and the accumulator */
};

/* Permitted sizes of the memory operand: the operand size, or the nearest one. */
enum sizes { BYTE = 1, WORD = 2, UP_TO_4 = 2 | 4, FROM_4 = 4 | 8, ALL = 2 | 4 | 8 };

#define TWO_BYTE 0x0f00u
/* Bits within an opcode: W is clear for a byte; ALU selects one of eight operations from ADD on. */
#define W   0x01
#define ALU 0x38

/*
 * The first three are the ones that drivers use most. Without REG, the reg field is `first` to `first` + `more`, and
 * selects the operation.
 */
static const struct opcode {
    u16 code;
    u8 bits, op, sizes, form, first, more;
} opcodes[] = {
    { 0x8a, W, INSN_MOV, ALL, MEMORY | REG | TO_REG, 0, 7 },
    { 0x88, W, INSN_MOV, ALL, MEMORY | REG, 0, 7 },
    { 0xc6, W, INSN_MOV, ALL, MEMORY | IMM, 0, 0 },
    { 0x00, W | ALU, INSN_ADD, ALL, MEMORY | REG, 0, 7 },
    { 0x02, W | ALU, INSN_ADD, ALL, MEMORY | REG | TO_REG, 0, 7 },
    { 0x63, 0, INSN_MOV, UP_TO_4, MEMORY | REG | TO_REG | EXTENDS | SIGN, 0, 7 }, /* MOVSXD */
    { 0x6c, W, INSN_INS, UP_TO_4, 0, 0, 0 },                                      /* ports have at most 32 bits */
    { 0x6e, W, INSN_OUTS, UP_TO_4, 0, 0, 0 },
    { 0x80, W, INSN_ADD, ALL, MEMORY | IMM, 0, 7 },
    { 0x83, 0, INSN_ADD, ALL, MEMORY | IMM_BYTE, 0, 7 },
    { 0x84, W, INSN_TEST, ALL, MEMORY | REG, 0, 7 },
    { 0x86, W, INSN_XCHG, ALL, MEMORY | REG, 0, 7 },
    { 0xa0, W, INSN_MOV, ALL, OFFSET | TO_REG, 0, 0 },
    { 0xa2, W, INSN_MOV, ALL, OFFSET, 0, 0 },
    { 0xa4, W, INSN_MOVS, ALL, 0, 0, 0 },
    { 0xaa, W, INSN_STOS, ALL, 0, 0, 0 },
    { 0xac, W, INSN_LODS, ALL, 0, 0, 0 },
    { 0xf6, W, INSN_TEST, ALL, MEMORY | IMM, 0, 0 },
    { 0xf6, W, INSN_TEST, ALL, MEMORY | IMM, 1, 0 },
    { 0xf6, W, INSN_NOT, ALL, MEMORY, 2, 1 }, /* and NEG */
    { 0xfe, W, INSN_INC, ALL, MEMORY, 0, 1 }, /* and DEC */
    { TWO_BYTE | 0xa3, 0, INSN_BT, ALL, MEMORY | REG, 0, 7 },
    { TWO_BYTE | 0xab, 0, INSN_BTS, ALL, MEMORY | REG, 0, 7 },
    { TWO_BYTE | 0xb0, W, INSN_CMPXCHG, ALL, MEMORY | REG, 0, 7 },
    { TWO_BYTE | 0xb3, 0, INSN_BTR, ALL, MEMORY | REG, 0, 7 },
    { TWO_BYTE | 0xb6, 0, INSN_MOV, BYTE, MEMORY | REG | TO_REG | EXTENDS, 0, 7 }, /* MOVZX, MOVSX */
    { TWO_BYTE | 0xb7, 0, INSN_MOV, WORD, MEMORY | REG | TO_REG | EXTENDS, 0, 7 },
    { TWO_BYTE | 0xbe, 0, INSN_MOV, BYTE, MEMORY | REG | TO_REG | EXTENDS | SIGN, 0, 7 },
    { TWO_BYTE | 0xbf, 0, INSN_MOV, WORD, MEMORY | REG | TO_REG | EXTENDS | SIGN, 0, 7 },
    { TWO_BYTE | 0xba, 0, INSN_BT, ALL, MEMORY | IMM_BYTE, 4, 3 },
    { TWO_BYTE | 0xbb, 0, INSN_BTC, ALL, MEMORY | REG, 0, 7 },
    { TWO_BYTE | 0xc0, W, INSN_XADD, ALL, MEMORY | REG, 0, 7 },
    { TWO_BYTE | 0xc3, 0, INSN_MOV, FROM_4, MEMORY | REG, 0, 7 }, /* MOVNTI, 4 or 8 bytes in any mode */
};

/* Decode the operands of `o`, opcode `code`, whose ModRM byte is `m` with reg field `reg`. */
static int operands(struct cursor *c, const struct opcode *o, unsigned code, unsigned m, unsigned reg)
{
    struct insn *i = c->i;
    u8 operand = c->rex & REX_W ? 8 : size_by(MIN(i->bits / 8, 4), c->seen[OPERAND_SIZE]);

    if (o->bits & W & ~code)
        i->size = 1;
    else if (o->sizes & operand)
        i->size = operand;
    else
        i->size = o->sizes & 4 ? 4 : o->sizes;
    i->reg_size = o->form & EXTENDS ? operand : i->size;
    i->to_reg = o->form & TO_REG;
    i->sign = o->form & SIGN;
    i->op = o->op + ((code & o->bits) >> 3);
    if (o->form & MEMORY) {
        if (m >= 0xc0)
            return -EINVAL;
        skip_address(c, m >> 6, m & 7);
    }
    if (!(o->form & REG)) {
        i->op += reg - o->first;
    } else if (i->reg_size == 1 && !c->rex && reg >= 4) {
        i->reg = reg - 4;
        i->high_byte = true;
    } else {
        i->reg = reg | (c->rex & REX_R ? 8 : 0);
    }
    if (o->form & OFFSET)
        c->at += i->addr_size;
    i->has_imm = o->form & (IMM | IMM_BYTE);
    if (i->has_imm) {
        unsigned size = o->form & IMM ? MIN(i->size, 4) : 1, above = 64 - 8 * size;
        i->imm = (u64)((s64)(get64(c->code + c->at) << above) >> above);
        c->at += size;
    }
    return 0;
}

#define ESCAPE_TWO_BYTE 0x0f
#define MOVSXD          0x63 /* ARPL in other modes than that of 64 bits */

static int look_up(struct cursor *c, unsigned code)
{
    if (code == ESCAPE_TWO_BYTE)
        code = TWO_BYTE | next(c);
    if (code == MOVSXD && c->i->bits != 64)
        return -EINVAL;
    unsigned at = c->at;
    for (const struct opcode *o = opcodes; o < opcodes + ARRAY_SIZE(opcodes); o++) {
        if ((code & ~o->bits) != o->code)
            continue;
        c->at = at;
        unsigned m = o->form & MEMORY ? next(c) : 0, reg = m >> 3 & 7;
        if (reg - o->first <= o->more)
            return operands(c, o, code, m, reg);
    }
    return -EINVAL;
}

static u8 decode_start(struct cursor *c, const u8 *code, unsigned n, unsigned bits, struct insn *insn)
{
    *insn = (struct insn){ .bits = (u8)bits, .segment = SEG_DS };
    *c = (struct cursor){ .i = insn, .n = MIN(n, (unsigned)INSN_MAX) };
    memcpy(c->code, code, c->n);
    u8 opcode = prefixes(c);
    insn->addr_size = size_by(insn->bits / 8, c->seen[ADDRESS_SIZE]);
    return opcode;
}

int insn_decode(const u8 *code, unsigned n, unsigned bits, struct insn *insn)
{
    struct cursor c;
    u8 opcode = decode_start(&c, code, n, bits, insn);
    int r = look_up(&c, opcode);

    if (c.at > c.n)
        return n < INSN_MAX ? -EFAULT : -EINVAL; /* more than 15 bytes: #GP, more bytes would not help */
    if (r < 0)
        return r;
    insn->length = c.at;
    return insn->length;
}

int insn_match(const u8 *code, unsigned n, unsigned bits, u8 opcode)
{
    struct insn insn;
    struct cursor c;

    return decode_start(&c, code, n, bits, &insn) == opcode && c.at <= c.n ? (int)c.at : -EINVAL;
}
