/* SPDX-License-Identifier: MIT */
/* insn_decode(): one encoding an assertion, in all three modes; expected values by APM vol. 3 appendix A. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include <arch/decode.h>
#include <errors.h>
#include <string.h>

static struct insn in;

/* In an allocation of exactly n bytes, so that ASan sees a read past them. */
static int decode_exact(unsigned bits, const char *code, unsigned n, struct insn *out)
{
    u8 *exact = malloc(n ? n : 1);
    memcpy(exact, code, n);
    int r = insn_decode(exact, n, bits, out);
    free(exact);
    return r;
}

/* All of the literal's bytes are one instruction, and no shorter part of them is. */
static void decode(unsigned bits, const char *code, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(decode_exact(bits, code, i, &in), -EFAULT);
    assert_int_equal(decode_exact(bits, code, n, &in), n);
}
#define D(bits, code) decode(bits, code, sizeof(code) - 1)
#define IS(op_, size_, reg_)                                                                                           \
    do {                                                                                                               \
        assert_int_equal(in.op, op_);                                                                                  \
        assert_int_equal(in.size, size_);                                                                              \
        assert_int_equal(in.reg, reg_);                                                                                \
    } while (0)

static void refused(unsigned bits, const char *code, unsigned n)
{
    assert_int_equal(insn_decode((const u8 *)code, n, bits, &in), -EINVAL);
}
#define R(bits, code) refused(bits, code, sizeof(code) - 1)

static void test_moves(void **state)
{
    D(64, "\x89\x03");
    IS(INSN_MOV, 4, 0);
    assert_false(in.to_reg);
    D(64, "\x8b\x03");
    IS(INSN_MOV, 4, 0);
    assert_true(in.to_reg);
    D(64, "\x48\x89\x7e\x08");
    IS(INSN_MOV, 8, 7);
    D(64, "\x44\x8b\x00");
    IS(INSN_MOV, 4, 8);
    D(64, "\x66\x45\x89\x38");
    IS(INSN_MOV, 2, 15);
    D(64, "\x88\x23");
    IS(INSN_MOV, 1, 0);
    assert_true(in.high_byte);
    D(64, "\x40\x88\x23");
    IS(INSN_MOV, 1, 4);
    assert_false(in.high_byte);
    D(64, "\x8a\x3b");
    IS(INSN_MOV, 1, 3);
    assert_true(in.high_byte);
    D(64, "\x0f\xc3\x03");
    IS(INSN_MOV, 4, 0);
    D(16, "\x89\x07");
    IS(INSN_MOV, 2, 0);
    D(16, "\x66\x89\x07");
    IS(INSN_MOV, 4, 0);
}

static void test_immediates(void **state)
{
    D(64, "\xc6\x03\xfe");
    IS(INSN_MOV, 1, 0);
    assert_true(in.has_imm);
    assert_true(in.imm == (u64)-2);
    D(64, "\xc7\x03\x78\x56\x34\x12");
    assert_int_equal(in.imm, 0x12345678);
    D(64, "\x48\xc7\x03\xff\xff\xff\xff");
    assert_int_equal(in.size, 8);
    assert_true(in.imm == ~0ull);
    D(64, "\x66\xc7\x03\x34\x12");
    assert_int_equal(in.size, 2);
    D(64, "\x83\x0b\xf0");
    IS(INSN_OR, 4, 0);
    assert_true(in.imm == (u64)-16);
    D(64, "\x81\x23\x00\x00\x00\x80");
    IS(INSN_AND, 4, 0);
    D(64, "\x80\x3b\x01");
    IS(INSN_CMP, 1, 0);
    D(64, "\xf6\x03\x20");
    IS(INSN_TEST, 1, 0);
    D(64, "\x48\xf7\x0b\x00\x01\x00\x00");
    IS(INSN_TEST, 8, 0);
    D(64, "\x48\x0f\xba\x2b\x3f");
    IS(INSN_BTS, 8, 0);
    assert_int_equal(in.imm, 63);
    D(64, "\x0f\xba\x23\x01");
    IS(INSN_BT, 4, 0);
    D(64, "\x0f\xba\x33\x01");
    IS(INSN_BTR, 4, 0);
    D(64, "\x0f\xba\x3b\x01");
    IS(INSN_BTC, 4, 0);
}

static void test_alu_and_exchange(void **state)
{
    D(64, "\x01\x0b");
    IS(INSN_ADD, 4, 1);
    assert_false(in.to_reg);
    D(64, "\x03\x0b");
    IS(INSN_ADD, 4, 1);
    assert_true(in.to_reg);
    D(64, "\x08\x0b");
    IS(INSN_OR, 1, 1);
    D(64, "\x48\x21\x0b");
    IS(INSN_AND, 8, 1);
    D(64, "\x29\x0b");
    IS(INSN_SUB, 4, 1);
    D(64, "\x31\x0b");
    IS(INSN_XOR, 4, 1);
    D(64, "\x3b\x0b");
    IS(INSN_CMP, 4, 1);
    D(64, "\x11\x0b");
    IS(INSN_ADC, 4, 1);
    D(64, "\x19\x0b");
    IS(INSN_SBB, 4, 1);
    D(64, "\x85\x0b");
    IS(INSN_TEST, 4, 1);
    D(64, "\x87\x0b");
    IS(INSN_XCHG, 4, 1);
    D(64, "\xf0\x0f\xb1\x0b");
    IS(INSN_CMPXCHG, 4, 1);
    D(64, "\xf0\x48\x0f\xc1\x0b");
    IS(INSN_XADD, 8, 1);
    D(64, "\xf0\x0f\xab\x0b");
    IS(INSN_BTS, 4, 1);
    D(64, "\x0f\xa3\x0b");
    IS(INSN_BT, 4, 1);
    D(64, "\xff\x03");
    IS(INSN_INC, 4, 0);
    D(64, "\xfe\x0b");
    IS(INSN_DEC, 1, 0);
    D(64, "\xf7\x13");
    IS(INSN_NOT, 4, 0);
    D(64, "\xf7\x1b");
    IS(INSN_NEG, 4, 0);
}

static void test_extending_loads(void **state)
{
    D(64, "\x0f\xb6\x0b");
    IS(INSN_MOV, 1, 1);
    assert_int_equal(in.reg_size, 4);
    assert_false(in.sign);
    D(64, "\x48\x0f\xbf\x0b");
    IS(INSN_MOV, 2, 1);
    assert_int_equal(in.reg_size, 8);
    assert_true(in.sign);
    D(64, "\x66\x0f\xbe\x23");
    IS(INSN_MOV, 1, 4);
    assert_int_equal(in.reg_size, 2);
    assert_false(in.high_byte);
    D(64, "\x48\x63\x0b");
    IS(INSN_MOV, 4, 1);
    assert_int_equal(in.reg_size, 8);
    assert_true(in.sign);
    R(32, "\x63\x0b"); /* ARPL */
}

static void test_address_forms_have_their_lengths(void **state)
{
    D(64, "\x8b\x05\x78\x56\x34\x12");     /* RIP-relative */
    D(32, "\x8b\x05\x78\x56\x34\x12");     /* absolute */
    D(64, "\x8b\x04\x25\x00\x00\x00\xfe"); /* SIB, no base */
    D(64, "\x8b\x04\x8b");                 /* base + index * 4 */
    D(64, "\x8b\x44\x8b\x10");
    D(64, "\x8b\x84\x8b\x10\x00\x00\x00");
    D(64, "\x43\x8b\x04\x25\x00\x00\x00\x00"); /* REX.X makes R12 of "no index", base 5 stays "none" */
    D(64, "\x8b\x45\x00");                     /* RBP always with displacement */
    D(64, "\x67\x8b\x03");
    D(16, "\x8b\x07");
    D(16, "\x8b\x06\x34\x12"); /* disp16 */
    D(16, "\x8b\x46\x04");
    D(16, "\x8b\x87\x34\x12");
    D(16, "\x67\x8b\x04\x8b");
    D(32, "\x67\x8b\x06\x34\x12");
    D(64, "\xa1\x00\x00\xe0\xfe\x00\x00\x00\x00");
    IS(INSN_MOV, 4, 0);
    assert_true(in.to_reg);
    D(64, "\x67\xa3\x00\x00\xe0\xfe");
    assert_false(in.to_reg);
    D(32, "\xa0\x00\x00\xe0\xfe");
    assert_int_equal(in.size, 1);
    D(16, "\xa3\x34\x12");
    assert_int_equal(in.size, 2);
}

static void test_strings(void **state)
{
    D(64, "\xf3\xa5");
    IS(INSN_MOVS, 4, 0);
    assert_int_equal(in.rep, 0xf3);
    assert_int_equal(in.addr_size, 8);
    D(64, "\xf3\x48\xab");
    IS(INSN_STOS, 8, 0);
    D(64, "\x64\xac");
    IS(INSN_LODS, 1, 0);
    assert_int_equal(in.segment, SEG_FS);
    D(32, "\x26\xa4");
    assert_int_equal(in.segment, SEG_ES);
    D(64, "\x26\xa4");
    assert_int_equal(in.segment, SEG_DS);
    D(64, "\x67\xf3\x66\xa5");
    assert_int_equal(in.size, 2);
    assert_int_equal(in.addr_size, 4);
    D(64, "\xf3\x6c");
    IS(INSN_INS, 1, 0);
    D(64, "\x48\x6d");
    IS(INSN_INS, 4, 0);
    D(16, "\xf3\x6f");
    IS(INSN_OUTS, 2, 0);
    assert_int_equal(in.addr_size, 2);
}

static void test_refuses(void **state)
{
    R(64, "\x89\xc3"); /* register form */
    R(64, "\x90");
    R(64, "\x0f\x0b");
    R(64, "\xff\x13"); /* CALL mem */
    R(64, "\xc6\x0b\x01");
    R(64, "\x0f\xba\x03\x01");                                                     /* group 8, 0-3 */
    R(64, "\xf7\x23");                                                             /* MUL */
    R(64, "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x89\x03"); /* 17 bytes */
    assert_int_equal(insn_decode((const u8 *)"", 0, 64, &in), -EFAULT);
    D(64, "\x48\x66\x89\x03");
    assert_int_equal(in.size, 2); /* REX not last: ignored */
}

/* docs/guests.md, "Instructions on device memory": these are #UD in the guest. */
static void what_docs_say_is_not_decoded(void **state)
{
    R(64, "\xae"), R(64, "\xf2\xaf");                        /* SCAS */
    R(64, "\xa6"), R(64, "\xf3\xa7");                        /* CMPS */
    R(64, "\xc0\x27\x04"), R(64, "\xc1\x07\x04");            /* SHL, ROL by an immediate */
    R(64, "\xd0\x2f"), R(64, "\xd1\x27"), R(64, "\xd3\x2f"); /* SHR by 1, SHL by 1, SHR by CL */
    R(64, "\x0f\xa4\x07\x01"), R(64, "\x0f\xad\x07");        /* SHLD, SHRD */
    R(64, "\x0f\x44\x07"), R(64, "\x0f\x45\x07");            /* CMOVE, CMOVNE */
    R(64, "\x0f\x94\x07");                                   /* SETE */
    R(64, "\x0f\xaf\x07"), R(64, "\x6b\x07\x07");            /* IMUL */
    R(64, "\xf7\x27"), R(64, "\xf7\x37"), R(64, "\xf7\x3f"); /* MUL, DIV, IDIV */
    R(64, "\xff\x37"), R(64, "\x8f\x07");                    /* PUSH, POP */
    R(64, "\xff\x17"), R(64, "\xff\x27");                    /* CALL, JMP */
    R(64, "\x0f\xbc\x07"), R(64, "\x0f\xbd\x07");            /* BSF, BSR */
    R(64, "\xf3\x0f\xb8\x07");                               /* POPCNT */
    R(64, "\x0f\x38\xf0\x07"), R(64, "\x0f\x38\xf1\x07");    /* MOVBE */
    R(64, "\x0f\xc7\x0f"), R(64, "\x48\x0f\xc7\x0f");        /* CMPXCHG8B, CMPXCHG16B */
    R(64, "\xdb\x07"), R(64, "\xdf\x2f");                    /* FILD */
    R(64, "\x0f\x6e\x07"), R(64, "\x66\x0f\x7e\x07");        /* MOVD */
    R(64, "\x0f\x28\x07"), R(64, "\xc5\xf8\x28\x07");        /* MOVAPS, VMOVAPS */
}

static int match(const char *code, unsigned n, unsigned bits, u8 opcode)
{
    return insn_match((const u8 *)code, n, bits, opcode);
}
static void test_match(void **state)
{
    assert_int_equal(match("\x0f\xa2", 2, 64, 0x0f), 1);
    assert_int_equal(match("\x66\x48\x0f\xa2", 4, 64, 0x0f), 3);
    assert_int_equal(match("\xf4", 1, 16, 0xf4), 1);
    assert_int_equal(match("\x0f", 1, 64, 0xf4), -EINVAL);
    assert_int_equal(match("\x48\x0f", 2, 32, 0x0f), -EINVAL); /* DEC, no prefix there */
    assert_int_equal(match("\x66\x66", 2, 64, 0x0f), -EINVAL);
    assert_int_equal(match("", 0, 64, 0), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_immediates),
        cmocka_unit_test(test_alu_and_exchange),
        cmocka_unit_test(test_extending_loads),
        cmocka_unit_test(test_address_forms_have_their_lengths),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(what_docs_say_is_not_decoded),
        cmocka_unit_test(test_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
