# SPDX-License-Identifier: MIT
"""From YAML to the model: structure, types, ranges, names. What one thing alone can be wrong about is found here;
what two things can only be wrong about together is found in check.py."""

from __future__ import annotations

from pathlib import Path

import yaml

from amalgam import paths
from amalgam.system import model
from amalgam.system.boards import Board
from amalgam.system.devices import read_device
from amalgam.system.families import PC, alike
from amalgam.system.frames import read_frame
from amalgam.system.model import (
    KVM_ALL,
    KVM_FEATURES,
    Boot,
    Channel,
    Device,
    DeviceType,
    Domain,
    DomainFlag,
    Kind,
    KvmFeature,
    System,
)
from amalgam.system.modules import read_cmdline, read_modules
from amalgam.system.natives import read_native
from amalgam.system.processes import ONLY_PROCESS, read_process
from amalgam.system.reader import NAMES, Map, board_file, domain_entries, file_ref, load, names, to_int
from amalgam.system.source import Diagnostics, Mark
from amalgam.system.spawned import add_slots
from amalgam.system.ues import MOST_SVM, read_ues
from amalgam.system.units import GIB, KIB, MIB

SYSTEM_KEYS = ("system", "board", "cores", "memory", "domains", "frames", "channels")
DOMAIN_KEYS = (
    "kind",
    "task",
    "boot",
    "kernel",
    "initrd",
    "modules",
    "cmdline",
    "entry",
    "memory",
    "vcpus",
    "cores",
    "priority",
    "devices",
    "acpi",
    "focus",
    "power",
    "restart",
    "autostart",
    "watchdog",
    "hypercalls",
    "kvm",
    "program",
    "arguments",
    "environment",
    "threads",
    "files",
    "ues",
    "shared",
    "svm",
    "strong",
    "joins",
    "stack",
    "spawn",
    "status",
    "ports",
)
TASK_KEYS = ("kind", "task", "cores", "vcpus", "priority", "focus", "power", "restart", "autostart", "memory")
BOARD_KEYS = (
    "board",
    "shape",
    "machine",
    "cpu",
    "cores",
    "max_cores",
    "memory",
    "max_memory",
    "serial_ports",
    "guests",
    "kernel_memory",
    "emulator",
)
BOARD_OPTIONS = ("family", "processes", "devices", "tasks")


def read_system(path: Path, diag: Diagnostics) -> System | None:
    """Read a system file; None when nothing of it can be understood."""
    node = load(path, diag)
    if node is None:
        if not diag.problems:
            diag.error(Mark(path), "the file is empty", "begin with 'system: NAME' and 'board: q35'")
        return None
    top = Map(path, node, "the system", SYSTEM_KEYS, diag)
    top.require("system", "give it a name: 'system: debian'")
    name = top.name("system", path.stem, 31)
    board = read_board(top, diag)
    system = System(
        top.mark,
        {key: top.at(key) for key in top.nodes},
        name,
        path,
        board,
        cores=top.integer("cores", board.cores if board else 1, 1, board.max_cores if board else 64),
        memory=top.size("memory", board.memory if board else GIB, 64 * MIB, board.max_memory if board else 64 * GIB, MIB),
    )
    if top.require("domains", "a system has at least one domain"):
        system.domains = read_domains(top, system, diag)
    for item in top.items("frames", "frames {core, length, windows}"):
        system.frames.append(read_frame(Map(path, item, "the frame", ("core", "length", "windows"), diag)))
    system.channels = read_channels(top)
    return system


def read_board(top: Map, diag: Diagnostics) -> Board | None:
    """The board's own file, boards/NAME.yaml."""
    known = sorted(p.stem for p in paths.BOARDS.glob("*.yaml"))
    if not top.require("board", f"name one of {', '.join(known)}"):
        return None
    name = top.choice("board", "", known)
    return named_board(name, diag) if name else None


def named_board(name: str, diag: Diagnostics) -> Board | None:
    own = board_file(name, BOARD_KEYS, diag, BOARD_OPTIONS)
    if own is None:
        return None
    return Board(
        own.mark,
        {key: own.at(key) for key in own.nodes},
        own.text("board"),
        own.text("shape"),
        own.text("machine"),
        own.text("cpu"),
        own.integer("cores", 1, 1, 64),
        own.integer("max_cores", 1, 1, 64),
        own.size("memory", GIB, MIB, 1024 * GIB),
        own.size("max_memory", GIB, MIB, 1024 * GIB),
        own.integer("serial_ports", 1, 0, 4),
        own.flag("guests", False),
        own.size("kernel_memory", 32 * MIB, MIB, GIB),
        own.text("emulator"),
        own.choice("family", PC, alike(PC)),
        own.text("processes"),
        own.text("devices"),
        own.text("tasks"),
    )


def read_domains(top: Map, system: System, diag: Diagnostics) -> list[Domain]:
    return add_slots(
        [
            read_domain(name, mark, Map(top.file, node, f"domain '{name}'", DOMAIN_KEYS, diag), system)
            for name, mark, node in domain_entries(top, NAMES, model.SHARED, diag)
        ]
    )


def read_domain(name: str, mark: Mark, m: Map, system: System) -> Domain:
    kind = Kind[m.choice("kind", "vm", names(Kind)).upper()]
    if kind == Kind.PROCESS:
        return read_process(name, mark, m, read_flags(m, kind))
    if kind == Kind.NATIVE:
        return read_native(name, mark, m, read_flags(m, kind))
    ring1 = bool(system.board and system.board.ring1())
    boot = Boot[m.choice("boot", "linux32" if ring1 else "linux64", names(Boot)).upper()]
    if kind == Kind.TASK:
        for key in m.nodes:
            if key not in TASK_KEYS:
                m.diag.error(m.keys[key], f"domain '{name}' is a task and has no '{key}'", f"its keys are {', '.join(TASK_KEYS)}")
        m.require("task", "a task names what is built into the kernel, e.g. 'task: jacobi'")
    else:
        if m.has("task"):
            m.diag.error(m.keys["task"], f"domain '{name}' is a VM and has no 'task'", "give it a kernel, or say 'kind: task'")
        for key in ONLY_PROCESS:
            if m.has(key):
                m.diag.error(m.keys[key], f"domain '{name}' is a VM and has no '{key}'", "leave it out, or say 'kind: process'")
        m.require("kernel", "a VM needs a kernel: a path, debian:vmlinuz or build:NAME")
        m.require("memory", "say how much: 'memory: 512M'")
    if m.has("entry") and boot != Boot.RAW:
        m.diag.error(
            m.keys["entry"], f"'entry' has no meaning for 'boot: {boot.name.lower()}'", "leave it out; the image says where it begins"
        )
    if m.has("initrd") and boot == Boot.RAW:
        m.diag.error(m.keys["initrd"], "a raw image gets no initrd", "leave it out, or boot by multiboot1")
    vcpus = m.integer("vcpus", 1, 1, model.MAX_VCPUS)
    cores = m.words("cores", "core numbers", lambda text: to_int(text) if (to_int(text) or 0) >= 0 else None)
    if not cores:
        cores = [(i % system.cores, m.mark) for i in range(vcpus)]
    shows_kvm, kvm = read_kvm(m, kind == Kind.VM and boot in (Boot.LINUX64, Boot.PVH))
    domain = Domain(
        mark,
        {key: m.at(key) for key in m.nodes},
        name,
        kind,
        boot,
        vcpus,
        cores,
        memory=m.size("memory", 64 * MIB if kind == Kind.VM else 0, 2 * MIB, 64 * GIB, 2 * MIB),
        kernel=file_ref(m, "kernel") if kind == Kind.VM else None,
        initrd=file_ref(m, "initrd") if kind == Kind.VM else None,
        modules=read_modules(m, boot) if kind == Kind.VM else [],
        cmdline=read_cmdline(m),
        entry=m.converted("entry", 0x100000, "an address, e.g. 0x100000", to_int),
        acpi=m.flag("acpi", boot not in (Boot.RAW, Boot.LINUX32)),
        priority=m.integer("priority", 8, 1, 31),
        watchdog_ms=m.time_us("watchdog", 0, 0, 65535000) // 1000,
        flags=read_flags(m, kind) | shows_kvm,
        kvm=kvm,
        task=m.text("task"),
        devices=[],
        ues=read_ues(m) if kind == Kind.VM and m.has("ues") else [],
        strong=m.size("strong", 0, 4 * KIB, MOST_SVM, 4 * KIB) if kind == Kind.VM else 0,
        joins=m.text("joins"),
    )
    for item in m.items("devices", "devices {type: ...}"):
        device = read_device(m, item)
        if device:
            domain.devices.append(device)
    if kind == Kind.VM and boot not in (Boot.RAW, Boot.LINUX32) and not any(d.type == DeviceType.PC for d in domain.devices):
        domain.devices.append(Device(mark, {}, DeviceType.PC, None))
    return domain


def read_kvm(m: Map, linux: bool) -> tuple[DomainFlag, KvmFeature]:
    """`kvm`: all or nothing, or a list of features."""
    if isinstance(m.nodes.get("kvm"), yaml.SequenceNode):
        features = KvmFeature(0)
        for feature, _mark in m.words("kvm", ", ".join(KVM_FEATURES), KVM_FEATURES.get):
            features |= feature
        return DomainFlag.KVM_PV, features
    if m.flag("kvm", linux, f"true, false or a list of {', '.join(KVM_FEATURES)}"):
        return DomainFlag.KVM_PV, KVM_ALL
    return DomainFlag(0), KvmFeature(0)


def read_flags(m: Map, kind: Kind) -> DomainFlag:
    flags = DomainFlag(0)
    for key, flag, default in (
        ("autostart", DomainFlag.AUTOSTART, True),
        ("hypercalls", DomainFlag.HYPERCALLS, kind == Kind.VM),
        ("focus", DomainFlag.FOCUS, False),
    ):
        if m.flag(key, default):
            flags |= flag
    if m.choice("power", "domain", ("board", "domain")) == "board":
        flags |= DomainFlag.POWER_BOARD
    ends = (
        {"fault": DomainFlag.RESTART_ON_FAULT}
        if kind in (Kind.PROCESS, Kind.NATIVE)
        else {"reset": DomainFlag.RESTART_ON_RESET, "fault": DomainFlag.RESTART_ON_FAULT}
    )
    for flag, _mark in m.words("restart", ", ".join(ends), ends.get):
        flags |= flag
    return flags


def read_channels(m: Map) -> list[Channel]:
    """What `channels:` of a system or a cluster says."""
    keys = ("name", "type", "between", "size", "write")
    items = m.items("channels", "channels {name, type, between, size, write}")
    return [read_channel(Map(m.file, item, "the channel", keys, m.diag)) for item in items]


def read_channel(m: Map) -> Channel:
    m.require("name", "name it: 'name: t0'")
    m.require("between", "say which two VMs share it: 'between: [linux, rt]'")
    m.choice("type", "tunnel", ("tunnel",))
    name = m.converted("name", "", NAMES.rule, NAMES.accept)
    between = m.words("between", "two domain names", lambda text: text)
    write = m.words("write", "domain names", lambda text: text) if m.has("write") else list(between)
    return Channel(m.mark, {key: m.at(key) for key in m.nodes}, name, between, write, m.size("size", 64 * KIB, 4 * KIB, MIB, 4 * KIB))
