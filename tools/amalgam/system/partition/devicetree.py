# SPDX-License-Identifier: MIT
"""Device trees for guests: the board's own source, or the user's file, with memory, command line and initrd set by dtc.

What the given tree has is asked of libfdt, by its program fdtget, which comes with dtc. (libfdt's Python module is on PyPI as a
source that needs swig and a compiler.)
"""

from __future__ import annotations

from pathlib import Path

from amalgam import paths, proc
from amalgam.errors import UserError
from amalgam.previrt import AREA, area_of
from amalgam.system.partition.model import (
    BELL_ADDRESS,
    BELL_STEP,
    TUNNEL_ADDRESS,
    TUNNEL_INPUT,
    TUNNEL_STEP,
    Channel,
    Partition,
    TunnelRight,
    rights_of,
)

SOURCE = paths.BOARDS / "ref405ep.dts"
EDGE_RISING = 1  # a ring is a pulse


PACKAGE = "device-tree-compiler"


def dtc(source: str | None, path: Path | None, out: str, into: Path, *options: str) -> Path:
    """Run the compiler over a source text, or over a tree in binary form."""
    program = proc.need("dtc", PACKAGE)
    given = into.with_suffix(".in.dts")
    if source is not None:
        given.write_text(source, encoding="utf-8")
    kind = "dts" if source is not None else "dtb"
    proc.run(
        [program, "-q", *options, "-I", kind, "-O", out, "-o", into, given if source is not None else path or given],
        "compiling a device tree",
    )
    return into


class Given:
    """What a tree in source form has: its memory node, and its labels."""

    def __init__(self, text: str, into: Path):
        self.tree = dtc(text, None, "dtb", into, "-@")  # -@: labels are kept, as properties of /__symbols__
        nodes = self._get("-l", self.tree, "/").splitlines()
        self.memory = next((node for node in nodes if node.partition("@")[0] == "memory"), "memory")

    def _get(self, *words: str | Path) -> str:
        return proc.run([proc.need("fdtget", PACKAGE), *words], "reading a device tree")

    def has_label(self, label: str) -> bool:
        return bool(self._get("-d", "", self.tree, "/__symbols__", label).strip())


def quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def source_of(domain: Partition, work: Path) -> str:
    """The tree as text: the board's, or what the user gave."""
    path = domain.dtb.path if domain.dtb and domain.dtb.path else SOURCE
    if path.suffix != ".dtb":
        return path.read_text(encoding="utf-8")
    return dtc(None, path, "dts", work / f"{domain.name}.user.dts").read_text(encoding="utf-8")


def tunnel_nodes(domain: Partition, channels: list[Channel], given: Given) -> str:
    """A bus with a node for each channel of the domain, and on it what an ARINC 653 port needs to know. Its interrupt needs the
    label `uic0` in the tree."""
    nodes, has_controller = "", given.has_label("uic0")
    for number, channel in enumerate(channels):
        if domain.name not in [name for name, _ in channel.between]:
            continue
        at = TUNNEL_ADDRESS + number * TUNNEL_STEP
        peer = next(name for name, _ in channel.between if name != domain.name)
        rights = rights_of(channel, domain)
        lines = [
            'compatible = "amalgam,tunnel"',
            f"reg = <{at:#x} {channel.size:#x}>, <{BELL_ADDRESS + number * BELL_STEP:#x} {BELL_STEP:#x}>",
            f'amalgam,peer = "{peer}"',
            f'amalgam,type = "{channel.type}"',
        ]
        if TunnelRight.WRITES not in rights:
            lines.append("read-only")
        if channel.type != "tunnel":
            source = domain.name in [name for name, _ in channel.write]
            lines += [f"amalgam,message = <{channel.message}>", f'amalgam,direction = "{"source" if source else "destination"}"']
        if channel.type == "queuing":
            lines.append(f"amalgam,depth = <{channel.depth}>")
        if has_controller:
            lines.append(f"interrupt-parent = <&uic0>; interrupts = <{TUNNEL_INPUT - number} {EDGE_RISING}>")
        nodes += f"{channel.name}@{at:x} {{ {'; '.join(lines)}; }};\n"
    if not nodes:
        return ""
    return f'/ {{ tunnels {{ compatible = "simple-bus"; #address-cells = <1>; #size-cells = <1>; ranges;\n{nodes}}}; }};\n'


def make(domain: Partition, channels: list[Channel], initrd: tuple[int, int] | None, work: Path) -> bytes:
    """The blob for a domain; `channels` are all of the system; `initrd`: first address and end."""
    text = source_of(domain, work)
    head, version, body = text.partition("/dts-v1/;")
    if not version:
        raise UserError(
            f"the device tree of '{domain.name}' does not begin with /dts-v1/;", "give a source or a compiled tree of version 17"
        )
    reserved = f"/memreserve/ {area_of(domain.memory):#x} {AREA:#x};\n" if domain.previrt else ""
    given = Given(text, work / f"{domain.name}.given.dtb")
    chosen = f'bootargs = "{quoted(domain.cmdline)}";' if domain.cmdline else ""
    if initrd:
        chosen += f" linux,initrd-start = <{initrd[0]:#x}>; linux,initrd-end = <{initrd[1]:#x}>;"
    memory = f'{given.memory} {{ device_type = "memory"; reg = <0 {domain.memory:#x}>; }};'
    whole = f"{head}{version}\n{reserved}{body}\n/ {{ {memory} chosen {{ {chosen} }}; }};\n{tunnel_nodes(domain, channels, given)}"
    return dtc(whole, None, "dtb", work / f"{domain.name}.dtb").read_bytes()
