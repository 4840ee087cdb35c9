/* SPDX-License-Identifier: MIT */
/*
 * arch/decode.h - decodes instructions with which guests access device registers.
 *
 * It is no disassembler. It knows the integer instructions with one memory operand that compilers and device drivers
 * use on MMIO, and the string instructions. It is total: any bytes give an instruction or an error, and no byte behind
 * the last is read. It computes no effective addresses, because an exit brings the guest-physical address. Register
 * forms (ModRM.mod = 3) are errors, because they cannot have faulted.
 */
#ifndef AMALGAM_ARCH_DECODE_H
#define AMALGAM_ARCH_DECODE_H

#include <types.h>

#define INSN_MAX 15

enum insn_op {
    INSN_ADD,
    INSN_OR,
    INSN_ADC,
    INSN_SBB,
    INSN_AND,
    INSN_SUB,
    INSN_XOR,
    INSN_CMP, /* the order of the opcode map */
    INSN_TEST,
    INSN_MOV,
    INSN_BT,
    INSN_BTS,
    INSN_BTR,
    INSN_BTC, /* the order of group 8 */
    INSN_NOT,
    INSN_NEG,
    INSN_INC,
    INSN_DEC,
    INSN_XCHG,
    INSN_XADD,
    INSN_CMPXCHG,
    INSN_MOVS,
    INSN_STOS,
    INSN_LODS,
    INSN_INS,
    INSN_OUTS,
};

enum insn_segment { SEG_ES, SEG_CS, SEG_SS, SEG_DS, SEG_FS, SEG_GS };

struct insn {
    u8 length;
    u8 op;          /* enum insn_op */
    u8 size;        /* bytes of the memory operand: 1, 2, 4, 8 */
    u8 reg_size;    /* bytes of the register operand; differs from size for MOVZX, MOVSX, MOVSXD */
    u8 reg;         /* register operand 0-15; unused if has_imm */
    bool high_byte; /* the register is AH, CH, DH, BH: the high byte of `reg` 0-3 */
    bool to_reg;    /* memory is the source, the register the destination */
    bool sign;      /* the load extends the sign */
    bool has_imm;   /* the other operand is imm, already sign-extended */
    u8 rep;         /* 0, 0xf2, 0xf3 */
    u64 imm;
    u8 segment;   /* enum insn_segment of a string instruction's source */
    u8 addr_size; /* bytes of RSI, RDI, RCX that a string instruction uses: 2, 4, 8 */
    u8 bits;      /* of the code segment: 16, 32, 64 */
};

/*
 * Decode the `n` bytes at `code` for a code segment of `bits` 16, 32 or 64. Returns the length; -EINVAL: not one of the
 * known instructions; -EFAULT: the bytes end before the instruction.
 */
int insn_decode(const u8 *code, unsigned n, unsigned bits, struct insn *insn);

/* Returns the number of bytes of the prefixes and the first opcode byte if that is `opcode`, which an intercept has
 * named; else -EINVAL. */
int insn_match(const u8 *code, unsigned n, unsigned bits, u8 opcode);

#endif
