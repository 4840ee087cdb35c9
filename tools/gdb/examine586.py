# SPDX-License-Identifier: MIT
"""What gdb's x shows, of a guest in ring 1 by its own page tables: instructions, strings, numbers. `by` is what its addresses lead by: ranges of its
memory, and its CR0, CR3, CR4."""

import gdb
from looking import physical
from tables586 import NowhereError, host_of, pieces, translate

try:
    import gdb.disassembler

    disassembler = gdb.disassembler
except ImportError:
    disassembler = None  # before gdb 13

MOST_BYTES = 4096  # of one look
SIZES = {"b": ("unsigned char", 8), "h": ("unsigned short", 8), "w": ("unsigned int", 4)}  # type, and how many a line


def word(address):
    """A word of the board's memory. In physical()."""
    return int.from_bytes(gdb.selected_inferior().read_memory(address, 4).tobytes(), "little")


def fetch(by, address, n):
    """Bytes of a guest's memory by its tables(). In physical()."""
    data = b""
    for va, length in pieces(address, n):
        gpa, _rights = translate(word, *by, va)
        data += gdb.selected_inferior().read_memory(host_of(by[0], gpa, f"{va:#x}"), length).tobytes()
    return data


class Code(disassembler.DisassembleInfo if disassembler else object):
    """An instruction of a guest's, for gdb's own disassembler."""

    by = None  # tables() of the guest that is looked at

    def read_memory(self, length, offset=0):
        with physical():
            try:
                return fetch(self.by, self.address + offset, length)
            except NowhereError as error:
                raise gdb.MemoryError(str(error)) from error


def code(by, address, count, _letters):
    if not disassembler:
        raise gdb.GdbError("instructions of a guest want gdb 13 or later")
    with physical():
        fetch(by, address, 1)

    class Guests(disassembler.Disassembler):
        def __call__(self, info):
            code = Code(info)
            code.by = by
            return disassembler.builtin_disassemble(code)

    before = disassembler.register_disassembler(Guests("amalgam-guest"))
    try:
        gdb.execute(f"x/{count}i {address:#x}")
    finally:
        disassembler.register_disassembler(before)


def text(by, address, count, _letters):
    for _ in range(count):
        data = b""
        with physical():
            for va, length in pieces(address, MOST_BYTES):
                data += fetch(by, va, length)
                if b"\0" in data:
                    break
        if not data:
            break  # behind the last address
        found, end, _ = data.partition(b"\0")
        value = gdb.Value(found + b"\0", gdb.lookup_type("char").array(len(found)))
        print(f"{address:#x}:\t{value.format_string(max_elements=0)}")
        address += len(found + end)


def numbers(by, address, count, letters):
    kind, row = SIZES[next((letter for letter in letters if letter in SIZES), "w")]
    how = next((letter for letter in letters if letter not in SIZES), "x").replace("x", "z")  # as long as the type
    kind = gdb.lookup_type(kind)
    size = kind.sizeof
    with physical():
        data = fetch(by, address, count * size)
    values = [gdb.Value(data[i : i + size], kind).format_string(format=how) for i in range(0, len(data) - size + 1, size)]
    for i in range(0, len(values), row):
        print(f"{address + i * size:#x}:\t" + "\t".join(values[i : i + row]))


def examine(by, address, count, letters):
    """Show as x/COUNTLETTERS does. NowhereError: the tables lead nowhere."""
    {"i": code, "s": text}.get(letters, numbers)(by, address, count, letters)
