# SPDX-License-Identifier: MIT
"""The MMIO decoder (kernel/arch/x86/amdv/decode.c) beside capstone, over random instructions.

What both know must have the same length, operation, operand size, register and
immediate; what the decoder accepts must be an instruction to capstone too; and a
memory-operand instruction of our set that capstone knows must not be refused.
"""

import ctypes
import os
import random
import subprocess
from pathlib import Path

import pytest

capstone = pytest.importorskip("capstone")
from capstone import x86  # noqa: E402  (after importorskip)

ROOT = Path(__file__).resolve().parents[2]
COUNT = int(os.environ.get("DECODE_COUNT", "30000"))

OPS = [
    "add",
    "or",
    "adc",
    "sbb",
    "and",
    "sub",
    "xor",
    "cmp",
    "test",
    "mov",
    "bt",
    "bts",
    "btr",
    "btc",
    "not",
    "neg",
    "inc",
    "dec",
    "xchg",
    "xadd",
    "cmpxchg",
    "movs",
    "stos",
    "lods",
    "ins",
    "outs",
]
MODES = {16: capstone.CS_MODE_16, 32: capstone.CS_MODE_32, 64: capstone.CS_MODE_64}
# capstone's names for what we file under one operation
ALIASES = {"movzx": "mov", "movsx": "mov", "movsxd": "mov", "movabs": "mov", "movnti": "mov"}
STRINGS = {f"{op}{size}": op for op in ("movs", "stos", "lods", "ins", "outs") for size in "bwdq"}

PREFIXES = [0x66, 0x67, 0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65]
ONE_BYTE = [op | low for op in range(0, 0x40, 8) for low in range(4)] + [
    0x63, 0x6C, 0x6D, 0x6E, 0x6F, 0x80, 0x81, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x8B,
    0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xAA, 0xAB, 0xAC, 0xAD, 0xC6, 0xC7, 0xF6, 0xF7, 0xFE, 0xFF,
]  # fmt: skip
STRING_BYTES = [0x6C, 0x6D, 0x6E, 0x6F, 0xA4, 0xA5, 0xAA, 0xAB, 0xAC, 0xAD]
TWO_BYTE = [0xA3, 0xAB, 0xB3, 0xBB, 0xB0, 0xB1, 0xB6, 0xB7, 0xBE, 0xBF, 0xBA, 0xC0, 0xC1, 0xC3]


class Insn(ctypes.Structure):
    """struct insn of arch/decode.h"""

    _fields_ = (
        [(n, ctypes.c_uint8) for n in ("length", "op", "size", "reg_size", "reg")]
        + [(n, ctypes.c_bool) for n in ("high_byte", "to_reg", "sign", "has_imm")]
        + [("rep", ctypes.c_uint8), ("imm", ctypes.c_uint64)]
        + [(n, ctypes.c_uint8) for n in ("segment", "addr_size", "bits")]
    )


@pytest.fixture(scope="module")
def decode(tmp_path_factory):
    lib = tmp_path_factory.mktemp("decode") / "decode.so"
    subprocess.run(
        ["gcc", "-std=gnu11", "-O1", "-shared", "-fPIC", "-I", ROOT / "tests/host/include", "-I", ROOT / "kernel/include",
         "-I", ROOT / "kernel/arch/x86/include", "-I", ROOT / "kernel/arch/x86/64/include", "-o", lib, ROOT / "kernel/arch/x86/amdv/decode.c"],
        check=True,
    )  # fmt: skip
    function = ctypes.CDLL(str(lib)).insn_decode

    def call(code: bytes, bits: int):
        insn = Insn()
        length = function(code, len(code), bits, ctypes.byref(insn))
        return (insn, length) if length > 0 else (None, length)

    return call


def random_code(rng: random.Random, bits: int) -> bytes:
    code = bytes(rng.choice(PREFIXES) for _ in range(rng.choice([0, 0, 0, 1, 1, 2])))
    rex = bytes([0x40 | rng.randrange(16)]) if bits == 64 and rng.random() < 0.5 else b""
    kind = rng.random()
    if kind < 0.05:
        opcode = rng.randbytes(2)
    elif kind < 0.3:
        opcode = bytes([0x0F, rng.choice(TWO_BYTE)])
    elif kind < 0.5:  # a repeat prefix elsewhere means nothing, and confuses capstone
        code += bytes([rng.choice([0xF2, 0xF3])])
        opcode = bytes([rng.choice(STRING_BYTES)])
    else:
        opcode = bytes([rng.choice(ONE_BYTE)])
    return (code + rex + opcode + rng.randbytes(15))[:15]


def operation(theirs) -> str:
    name = theirs.mnemonic.split()[-1]
    return STRINGS.get(name) or ALIASES.get(name, name)


def memory_operand(theirs):
    return next((o for o in theirs.operands if o.type == x86.X86_OP_MEM), None)


def is_ours(theirs) -> bool:
    """What the decoder promises: the operation, with memory and general registers; not 82, 80's undocumented twin."""
    general = theirs.opcode[0] not in (0x82, 0x8C, 0x8E) and not (theirs.opcode[0] == 0x0F and 0x20 <= theirs.opcode[1] < 0x30)
    return general and memory_operand(theirs) is not None and operation(theirs) in OPS


def register_name(insn: Insn) -> str:
    low = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"]
    if insn.high_byte:
        return low[insn.reg][0] + "h"
    if insn.reg >= 8:
        return f"r{insn.reg}" + {1: "b", 2: "w", 4: "d", 8: ""}[insn.reg_size]
    name = low[insn.reg]
    if insn.reg_size == 1:
        return name[0] + "l" if insn.reg < 4 else name + "l"
    return {2: "", 4: "e", 8: "r"}[insn.reg_size] + name


def check_same(ours: Insn, theirs, text: str):
    assert ours.length == theirs.size, text
    op = OPS[ours.op]
    assert op == operation(theirs), text
    memory = memory_operand(theirs)
    assert memory is not None, text
    if op in STRINGS.values():
        assert ours.addr_size == theirs.addr_size, text
        return
    registers = [o for o in theirs.operands if o.type == x86.X86_OP_REG]
    immediates = [o for o in theirs.operands if o.type == x86.X86_OP_IMM]
    if registers and not theirs.mnemonic.startswith(("movzx", "movsx")):
        assert ours.size == ours.reg_size, text  # the register's name, below, is surer than capstone's memory size
    else:
        assert ours.size == memory.size, text
    assert ours.has_imm == bool(immediates), text
    if immediates:
        mask = 0xFF if op.startswith("bt") else (1 << 8 * ours.size) - 1
        assert ours.imm & mask == immediates[0].imm & mask, text
    if registers:
        assert register_name(ours) == theirs.reg_name(registers[0].reg), text
        if op not in ("test", "xchg"):  # symmetric: the order is the disassembler's taste
            assert ours.to_reg == (theirs.operands[0].type == x86.X86_OP_REG), text
    assert ours.sign == theirs.mnemonic.startswith(("movsx",)), text


def known_difference(code: bytes, bits: int) -> bool:
    """MOVSXD without REX.W, MOVNTI with prefix 66, LOCK where it is an invalid opcode: no compiler makes them."""
    movsxd = code.find(0x63, 0, 5)
    short_movsxd = bits == 64 and movsxd >= 0 and code[max(movsxd - 1, 0)] & 0xF8 != 0x48
    return short_movsxd or (0x66 in code[:4] and b"\x0f\xc3" in code[:7]) or 0xF0 in code[:4]


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_agrees_with_capstone(decode, bits):
    rng = random.Random(bits)
    disassembler = capstone.Cs(capstone.CS_ARCH_X86, MODES[bits])
    disassembler.detail = True
    agreed = 0
    seen = set()
    for _ in range(COUNT):
        code = random_code(rng, bits)
        theirs = next(disassembler.disasm(code, 0x1000, 1), None)
        ours, error = decode(code, bits)
        text = f"{bits}-bit {code.hex(' ')}: {theirs and theirs.mnemonic + ' ' + theirs.op_str}, ours {error}"
        if known_difference(code, bits):
            continue
        if ours is None:
            assert not (theirs and is_ours(theirs)), text
            continue
        assert theirs is not None, text
        check_same(ours, theirs, text)
        seen.add(OPS[ours.op])
        agreed += 1
    assert seen == set(OPS)
    assert agreed > COUNT // 3
