# SPDX-License-Identifier: MIT
"""From YAML to the model of a partitioned system: structure, types, ranges, names of each thing alone."""

from __future__ import annotations

from pathlib import Path

import yaml

from amalgam.system.families import alike
from amalgam.system.frames import read_frame
from amalgam.system.model import FileRef
from amalgam.system.partition import model
from amalgam.system.partition.model import Action, Board, Channel, Health, Owned, Partition, PartitionSystem, Plan, VmFlag
from amalgam.system.read import read_cmdline
from amalgam.system.reader import Map, Names, board_file, domain_entries, entries, file_ref, in_range, load, to_int
from amalgam.system.source import Diagnostics, Mark
from amalgam.system.units import KIB, MIB, parse_size

SYSTEM_KEYS = ("system", "board", "cores", "memory", "domains", "frames", "plans", "channels")
DOMAIN_KEYS = (
    "kind",
    "kernel",
    "load",
    "entry",
    "initrd",
    "dtb",
    "cmdline",
    "memory",
    "cores",
    "priority",
    "registers",
    "hypercalls",
    "irfm",
    "tlb",
    "previrt",
    "monitor",
    "focus",
    "power",
    "autostart",
    "health",
    "restarts",
    "device",
)
BOARD_KEYS = ("board", "shape", "family", "machine", "cores", "max_cores", "memory", "memories", "timebase")
CHANNEL_KEYS = ("name", "type", "between", "size", "write", "message", "depth")
DEVICE_KEYS = ("page", "dcr", "interrupts")
REGISTERS = ("r3", "r4", "r5", "r6", "r7")
CHANNEL_TYPES = ("tunnel", "sampling", "queuing")
NAMES = Names(model.NAME_LENGTH)
FIRST_PLAN = "normal"  # what `frames` describes


def read_system(path: Path, diag: Diagnostics) -> PartitionSystem | None:
    """Read a system file; None when nothing of it can be understood."""
    node = load(path, diag)
    if node is None:
        return None
    top = Map(path, node, "the system", SYSTEM_KEYS, diag)
    top.require("system", "give it a name: 'system: ppc405'")
    name = top.name("system", path.stem[:15], 15)
    board = read_board(top, diag)
    system = PartitionSystem(
        top.mark,
        {key: top.at(key) for key in top.nodes},
        name,
        path,
        board,
        cores=top.integer("cores", board.cores if board else 1, 1, board.max_cores if board else model.MAX_CORES),
        memory=read_memory(top, board),
    )
    if top.require("domains", "a system has at least one domain"):
        system.domains = read_domains(top, diag)
    system.plans = read_plans(top, diag)
    for item in top.items("channels", "channels {name, type, between, size, write}"):
        system.channels.append(read_channel(Map(path, item, "the channel", CHANNEL_KEYS, diag)))
    return system


def read_memory(top: Map, board: Board | None) -> int:
    """The emulated machine takes a few sizes only."""
    sizes = board.memories if board else []
    wanted = "one of " + ", ".join(f"{size // MIB}M" for size in sizes)
    return top.converted("memory", board.memory if board else 128 * MIB, wanted, lambda t: s if (s := parse_size(t)) in sizes else None)


def read_board(top: Map, diag: Diagnostics) -> Board | None:
    """boards/NAME.yaml; that it exists was seen when the shape was looked up."""
    own = board_file(top.text("board"), BOARD_KEYS, diag)
    if own is None:
        return None
    return Board(
        own.mark,
        {key: own.at(key) for key in own.nodes},
        own.text("board"),
        own.text("machine"),
        own.integer("cores", 1, 1, model.MAX_CORES),
        own.integer("max_cores", 1, 1, model.MAX_CORES),
        own.size("memory", 128 * MIB, MIB, 4096 * MIB),
        [size for size, _ in own.words("memories", "sizes", parse_size)],
        own.integer("timebase", 1000000, 1000000, 4000000000),
        own.choice("family", model.FAMILY, alike(model.FAMILY)),
    )


def read_domains(top: Map, diag: Diagnostics) -> list[Partition]:
    return [
        read_domain(name, mark, Map(top.file, node, f"domain '{name}'", DOMAIN_KEYS, diag))
        for name, mark, node in domain_entries(top, NAMES, model.ANY, diag)
        if not refused(top, name, node, diag)
    ]


def refused(top: Map, name: str, node: yaml.Node, diag: Diagnostics) -> bool:
    """A task or a process, which has nothing in common with a domain of this shape: one error instead of one a key."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    kind = next((value for key, value in pairs if key.value == "kind" and value.value in ("task", "process")), None)
    if kind:
        wrong = f"'{name}' is a {kind.value}, but the kernel of the shape ppc405 has none"
        diag.error(top.mark_of(kind), wrong, "say 'board: q35', or give it a kernel of its own")
    return bool(kind)


def read_domain(name: str, mark: Mark, m: Map) -> Partition:
    m.choice("kind", "vm", ("vm",))
    m.require("kernel", "a domain needs a kernel: a path, linux40x:vmlinux or build:NAME.elf")
    m.require("memory", "say how much: 'memory: 16M'")
    kernel = file_ref(m, "kernel")
    previrt = m.flag("previrt", False)
    linux = bool(kernel and kernel.text.startswith("linux40x:"))
    tree, dtb = read_dtb(m, linux or m.has("initrd"))
    return Partition(
        mark,
        {key: m.at(key) for key in m.nodes},
        name,
        kernel,
        load=m.converted("load", 0, "an address, e.g. 0x1000", address),
        entry=m.converted("entry", None, "an address, e.g. 0x1000", address) if m.has("entry") else None,
        initrd=file_ref(m, "initrd"),
        dtb=dtb,
        device_tree=tree,
        cmdline=read_cmdline(m),
        memory=m.size("memory", 16 * MIB, 64 * KIB, 496 * MIB, 64 * KIB),
        cores=m.words("cores", "core numbers", lambda text: in_range(to_int(text), 0, 63)),
        priority=m.integer("priority", 8, 1, 31),
        registers=read_registers(m),
        flags=read_flags(m, previrt),
        previrt=previrt,
        health=read_health(m),
        restarts=read_restarts(m),
        device=read_device(m),
    )


def address(text: str) -> int | None:
    return in_range(to_int(text), 0, 0xFFFFFFFC)


def read_dtb(m: Map, wanted: bool) -> tuple[bool, FileRef | None]:
    """`dtb`: auto (the board's own), none, or a file; whether there is a tree, and of which file."""
    text = m.text("dtb", "auto" if wanted else "none", "auto, none or a file (.dtb, .dts)")
    if text in ("auto", "none"):
        return text == "auto", None
    return True, file_ref(m, "dtb")


def read_registers(m: Map) -> dict[str, int]:
    """`registers: {r4: 0x1000}`: contents at the entry."""
    if not m.has("registers"):
        return {}
    own = Map(m.file, m.nodes["registers"], f"'registers' of {m.what}", REGISTERS, m.diag)
    return {key: own.converted(key, 0, "a number of 32 bits", lambda t: in_range(to_int(t), 0, 0xFFFFFFFF)) for key in own.nodes}


def read_flags(m: Map, previrt: bool) -> VmFlag:
    irfm = m.flag("irfm", previrt)
    flags = VmFlag.IRFM if irfm else VmFlag(0)
    for key, flag, default in (
        ("autostart", VmFlag.AUTOSTART, True),
        ("hypercalls", VmFlag.HYPERCALLS, irfm or previrt or m.flag("monitor", False)),
        ("tlb", VmFlag.TLB, True),
        ("focus", VmFlag.FOCUS, False),
        ("monitor", VmFlag.HEALTH_MONITOR, False),
    ):
        if m.flag(key, default):
            flags |= flag
    if m.choice("power", "domain", ("board", "domain")) == "board":
        flags |= VmFlag.POWER_BOARD
    return flags


def read_health(m: Map) -> dict[str, Health]:
    """`health: {fault: restart, reset: restart, overrun: {plan: degraded}}`."""
    health = {event: Health(Action.IGNORE if event == "overrun" else Action.STOP) for event in model.EVENTS}
    if not m.has("health"):
        return health
    own = Map(m.file, m.nodes["health"], f"'health' of {m.what}", model.EVENTS, m.diag)
    for event, node in own.nodes.items():
        if isinstance(node, yaml.MappingNode):
            plan = Map(m.file, node, f"'{event}' of {m.what}", ("plan",), m.diag)
            plan.require("plan", "name the plan to change to: '{plan: degraded}'")
            health[event] = Health(Action.PLAN, plan.text("plan"), plan.at("plan"))
        else:
            word = own.choice(event, health[event].action.name.lower(), ("stop", "restart", "ignore"))
            health[event] = Health(Action[word.upper()])
    return health


def read_restarts(m: Map) -> int:
    wanted = "a whole number from 1 to 254, or 'unlimited'"
    convert = lambda t: model.FOREVER if t == "unlimited" else in_range(to_int(t), 1, 254)  # noqa: E731
    return m.converted("restarts", model.FOREVER, wanted, convert)


def read_device(m: Map) -> Owned | None:
    """`device: {page: 0xef600000, dcr: [0x180, 8], interrupts: [3]}`: real hardware of this domain."""
    if not m.has("device"):
        return None
    d = Map(m.file, m.nodes["device"], f"'device' of {m.what}", DEVICE_KEYS, m.diag)
    owned = Owned(d.mark, {key: d.at(key) for key in d.nodes})
    owned.page = d.converted(
        "page", 0, "the address of a 4 KiB page", lambda t: a if (a := address(t)) is not None and a % 4096 == 0 else None
    )
    dcrs = d.words("dcr", "first number and count, e.g. [0x180, 8]", lambda t: in_range(to_int(t), 0, 1023))
    if d.has("dcr") and (len(dcrs) != 2 or not dcrs[1][0] or dcrs[0][0] + dcrs[1][0] > 1024):
        m.diag.error(d.at("dcr"), "'dcr' is not a range of DCRs", "write the first number and the count: [0x180, 8]")
    elif dcrs:
        owned.dcr_first, owned.dcr_count = dcrs[0][0], dcrs[1][0]
    owned.interrupts = d.words("interrupts", "UIC inputs 0 to 31", lambda t: in_range(to_int(t), 0, 31))
    return owned


def read_plans(top: Map, diag: Diagnostics) -> list[Plan]:
    """`frames` is the plan that the system starts with, `plans` holds the others by name."""
    plans = [Plan(top.mark, {}, FIRST_PLAN, read_frames(top, "frames"))]
    node = top.nodes.get("plans")
    if node is None:
        return plans
    if not isinstance(node, yaml.MappingNode):
        diag.error(top.at("plans"), "'plans' is no mapping", "write 'plans:' and below it 'NAME: [frames]' for each")
        return plans
    for key, _value in entries(top.file, node, "'plans'", diag):
        mark = top.mark_of(key)
        if NAMES.accept(key.value) is None or key.value == FIRST_PLAN:
            diag.error(mark, f"'{key.value}' cannot name a plan", f"use {NAMES.rule}; '{FIRST_PLAN}' is what 'frames' describes")
            continue
        every = Map(top.file, node, "'plans'", [k.value for k, _ in node.value], Diagnostics())
        every.diag = diag
        plans.append(Plan(mark, {}, key.value, read_frames(every, key.value)))
    return plans


def read_frames(m: Map, key: str):
    return [
        read_frame(Map(m.file, item, "the frame", ("core", "length", "windows"), m.diag))
        for item in m.items(key, "frames {core, length, windows}")
    ]


def read_channel(m: Map) -> Channel:
    m.require("name", "name it: 'name: t0'")
    m.require("between", "say which two domains share it: 'between: [linux, rt]'")
    kind = m.choice("type", "tunnel", CHANNEL_TYPES)
    between = m.words("between", "two domain names", lambda text: text)
    if kind == "tunnel":
        for key in ("message", "depth"):
            if m.has(key):
                m.diag.error(m.keys[key], f"a tunnel has no '{key}'", "give it 'type: sampling' or 'type: queuing'")
    else:
        m.require("message", f"a {kind} port says its longest message: 'message: 64'")
    if kind == "sampling" and m.has("depth"):
        m.diag.error(m.keys["depth"], "a sampling port has no 'depth'", "it holds the last message only; 'type: queuing' holds more")
    write = m.words("write", "domain names", lambda text: text) if m.has("write") else [] if kind != "tunnel" else list(between)
    message, depth = m.integer("message", 0, 1, 32768), m.integer("depth", 4 if kind == "queuing" else 1, 1, 512)
    return Channel(
        m.mark,
        {key: m.at(key) for key in m.nodes},
        m.converted("name", "", NAMES.rule, NAMES.accept),
        kind,
        between,
        write,
        m.size("size", 4 * KIB if kind == "tunnel" else port_size(kind, message, depth), 4 * KIB, 16 * MIB, 4 * KIB),
        message,
        depth,
    )


def port_size(kind: str, message: int, depth: int) -> int:
    """Memory of a port as guests/ppc405/apex/box.h lays it out: two counts, and for each message 24 bytes and itself; a sampling
    port keeps two copies."""
    slots = 2 if kind == "sampling" else depth
    return -(-(8 + slots * (24 + -(-message // 4) * 4)) // 4096) * 4096
