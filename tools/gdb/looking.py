# SPDX-License-Identifier: MIT
"""What gdb's scripts look with: the board's memory by its physical addresses, globals by their names, commands that look."""

import contextlib

import gdb


@contextlib.contextmanager
def physical():
    """Memory as the core's bus has it: where the core stopped in a guest, the kernel is in no address space."""
    mode = "maintenance packet Qqemu.PhyMemMode:"
    gdb.execute(mode + "1", to_string=True)
    try:
        yield
    finally:
        gdb.execute(mode + "0", to_string=True)


class Look(gdb.Command):
    """A command that looks at the kernel's memory."""

    def invoke(self, argument, _tty):
        with physical():
            self.look(argument)


def symbol(name):
    """A global's value; an error that says what to do when the kernel has no such thing (yet)."""
    try:
        return gdb.parse_and_eval(name)
    except gdb.error as error:
        raise gdb.GdbError(f"{name}: {error} (is build/SHAPE/amalgam.elf loaded?)") from error


def enum_name(enum, value, prefix):
    """The constant's name without its prefix, in small letters."""
    fields = gdb.lookup_type(f"enum {enum}").fields()
    name = next((field.name for field in fields if field.enumval == int(value)), str(int(value)))
    return name.removeprefix(prefix).lower()
