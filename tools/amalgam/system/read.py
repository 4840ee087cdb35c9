# SPDX-License-Identifier: MIT
"""From YAML to the model: structure, types, ranges, names. What one thing alone can be wrong about is found here;
what two things can only be wrong about together is found in check.py."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from amalgam import paths
from amalgam.errors import nearest
from amalgam.system import model
from amalgam.system.model import (
    KVM_ALL,
    KVM_FEATURES,
    Board,
    Boot,
    Channel,
    Device,
    DeviceType,
    Domain,
    DomainFlag,
    FileRef,
    Frame,
    Kind,
    KvmFeature,
    System,
    Window,
)
from amalgam.system.reader import Map, entries, load, to_int
from amalgam.system.source import Diagnostics, Mark
from amalgam.system.units import GIB, KIB, MIB

SYSTEM_KEYS = ("system", "board", "cores", "memory", "domains", "frames", "channels")
DOMAIN_KEYS = (
    "kind",
    "task",
    "boot",
    "kernel",
    "initrd",
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
)
NATIVE_KEYS = ("kind", "task", "cores", "vcpus", "priority", "focus", "power", "restart", "autostart", "memory")
DEVICE_KEYS = {
    DeviceType.UART: ("type", "port"),
    DeviceType.CONSOLE: ("type", "slot"),
    DeviceType.BLOCK: ("type", "slot", "image", "backend", "size", "readonly"),
    DeviceType.NET: ("type", "slot", "net", "mac"),
    DeviceType.RNG: ("type", "slot"),
    DeviceType.PC: ("type",),
}
BOARD_KEYS = ("board", "shape", "machine", "cpu", "cores", "max_cores", "memory", "max_memory", "serial_ports", "guests", "kernel_memory")
SECTOR = 512
NAME_RULE = "a name of 1 to 15 small letters, digits, '-' and '_' that begins with a letter"


def names(enum: type) -> list[str]:
    return [member.name.lower() for member in enum]


def name_of(text: str) -> str | None:
    return text if re.fullmatch(r"[a-z][a-z0-9_-]{0,14}", text) else None


def read_system(path: Path, diag: Diagnostics) -> System | None:
    """Read a system file; None when nothing of it can be understood."""
    node = load(path, diag)
    if node is None:
        if not diag.problems:
            diag.error(Mark(path), "the file is empty", "begin with 'system: NAME' and 'board: q35'")
        return None
    top = Map(path, node, "the system", SYSTEM_KEYS, diag)
    top.require("system", "give it a name: 'system: debian'")
    name = top.converted(
        "system",
        path.stem,
        "a name of 1 to 31 letters, digits, '-' and '_'",
        lambda text: text if re.fullmatch(r"[A-Za-z0-9_-]{1,31}", text) else None,
    )
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
    for item in top.items("channels", "channels {name, type, between, size, write}"):
        system.channels.append(read_channel(Map(path, item, "the channel", ("name", "type", "between", "size", "write"), diag)))
    return system


def read_board(top: Map, diag: Diagnostics) -> Board | None:
    """The board's own file, boards/NAME.yaml."""
    known = sorted(p.stem for p in paths.BOARDS.glob("*.yaml"))
    if not top.require("board", f"name one of {', '.join(known)}"):
        return None
    name = top.choice("board", "", known)
    if not name:
        return None
    path = paths.BOARDS / f"{name}.yaml"
    node = load(path, diag)
    if node is None:
        return None
    own = Map(path, node, "the board", BOARD_KEYS, diag)
    for key in BOARD_KEYS:
        own.require(key, f"a board says {', '.join(BOARD_KEYS)}")
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
    )


def read_domains(top: Map, system: System, diag: Diagnostics) -> list[Domain]:
    node = top.nodes["domains"]
    if not isinstance(node, yaml.MappingNode):
        diag.error(top.at("domains"), "'domains' is no mapping", "write 'domains:' and below it 'NAME: {...}' for each")
        return []
    found = []
    for key, value in entries(top.file, node, "'domains'", diag):
        mark = top.mark_of(key)
        if name_of(key.value) is None or key.value in (model.SHARED, "kernel"):
            diag.error(mark, f"'{key.value}' cannot name a domain", f"use {NAME_RULE}; 'shared' and 'kernel' are taken")
        if len(key.value.encode()) > 15:
            continue
        found.append(read_domain(key.value, mark, Map(top.file, value, f"domain '{key.value}'", DOMAIN_KEYS, diag), system))
    return found


def read_domain(name: str, mark: Mark, m: Map, system: System) -> Domain:
    kind = Kind[m.choice("kind", "vm", names(Kind)).upper()]
    boot = Boot[m.choice("boot", "linux64", names(Boot)).upper()]
    if kind == Kind.NATIVE:
        for key in m.nodes:
            if key not in NATIVE_KEYS:
                m.diag.error(m.keys[key], f"domain '{name}' is native and has no '{key}'", f"its keys are {', '.join(NATIVE_KEYS)}")
        m.require("task", "a native domain names its built-in task, e.g. 'task: jacobi'")
    else:
        if m.has("task"):
            m.diag.error(m.keys["task"], f"domain '{name}' is a VM and has no 'task'", "give it a kernel, or say 'kind: native'")
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
        cmdline=read_cmdline(m),
        entry=m.converted("entry", 0x100000, "an address, e.g. 0x100000", to_int),
        acpi=m.flag("acpi", boot != Boot.RAW),
        priority=m.integer("priority", 8, 1, 31),
        watchdog_ms=m.time_us("watchdog", 0, 0, 65535000) // 1000,
        flags=read_flags(m, kind) | shows_kvm,
        kvm=kvm,
        task=m.text("task"),
        devices=[],
    )
    for item in m.items("devices", "devices {type: ...}"):
        device = read_device(m, item)
        if device:
            domain.devices.append(device)
    if kind == Kind.VM and boot != Boot.RAW and not any(d.type == DeviceType.PC for d in domain.devices):
        domain.devices.append(Device(mark, {}, DeviceType.PC, None))
    return domain


def read_cmdline(m: Map) -> str:
    text = m.text("cmdline")
    if len(text.encode()) > model.MAX_CMDLINE or not text.isprintable() or not text.isascii():
        m.diag.error(
            m.at("cmdline"),
            "the command line is too long or holds characters that are not printable ASCII",
            f"at most {model.MAX_CMDLINE} printable characters",
        )
        return ""
    return text


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
    ends = {"reset": DomainFlag.RESTART_ON_RESET, "fault": DomainFlag.RESTART_ON_FAULT}
    for flag, _mark in m.words("restart", "reset, fault", ends.get):
        flags |= flag
    return flags


def file_ref(m: Map, key: str) -> FileRef | None:
    text = m.text(key)
    return FileRef(text, m.at(key)) if text else None


def read_device(domain: Map, node: yaml.Node) -> Device | None:
    every = sorted({key for keys in DEVICE_KEYS.values() for key in keys})
    m = Map(domain.file, node, f"a device of {domain.what}", every, domain.diag)
    if not isinstance(node, yaml.MappingNode) or not m.require("type", f"say one of {', '.join(names(DeviceType))}"):
        return None
    word = m.choice("type", "", names(DeviceType))
    if not word:
        return None
    kind = DeviceType[word.upper()]
    for key in m.nodes:
        if key not in DEVICE_KEYS[kind]:
            m.diag.error(m.keys[key], f"a '{word}' device has no '{key}'", f"its keys are {', '.join(DEVICE_KEYS[kind])}")
    slot = None
    if kind == DeviceType.UART:
        slot = int(m.choice("port", "COM1", ("COM1", "COM2", "COM3", "COM4"))[3]) - 1
    elif m.has("slot"):
        slot = m.integer("slot", 0, 0, model.MAX_SLOTS - 1)
    if kind == DeviceType.BLOCK:
        check_disk(m)
    return Device(
        m.mark,
        {key: m.at(key) for key in m.nodes},
        kind,
        slot,
        m.flag("readonly", False),
        m.integer("net", 0, 0, 7),
        m.converted("mac", bytes(6), "an address like 52:54:00:12:34:56, no multicast one", parse_mac),
        file_ref(m, "image"),
        m.converted("backend", "", NAME_RULE, name_of),
        m.size("size", 0, SECTOR, 1024 * GIB, SECTOR),
    )


def check_disk(m: Map) -> None:
    """An image, or the back end that has it."""
    if not m.has("backend"):
        m.require("image", "name the file that it shows: 'image: disk.img' or 'image: debian:disk'")
        if m.has("size"):
            m.diag.error(m.at("size"), "the image says how large the disk is", "'size' goes with 'backend'")
        return
    if m.has("image"):
        m.diag.error(m.at("image"), "the disk has a back end and an image", "leave one out")
    m.require("size", "say how large the disk is: 'size: 64M'")


def parse_mac(text: str) -> bytes | None:
    if not re.fullmatch(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}", text):
        return None
    mac = bytes.fromhex(text.replace(":", ""))
    return mac if any(mac) and not mac[0] & 1 else None


def read_frame(m: Map) -> Frame:
    m.require("core", "say which core's time it divides: 'core: 1'")
    m.require("length", "say how long the major frame is: 'length: 10ms'")
    m.require("windows", "a frame has windows: '[{domain: rt, start: 0, length: 1ms}]'")
    frame = Frame(m.mark, {key: m.at(key) for key in m.nodes}, m.integer("core", 0, 0, 63), m.time_us("length", 10000, 100, 60000000), [])
    for item in m.items("windows", "windows {domain, start, length}"):
        w = Map(m.file, item, "the window", ("domain", "start", "length"), m.diag)
        complete = [w.require(key, "a window says domain, start, length") for key in ("domain", "start", "length")]
        if all(complete):
            frame.windows.append(
                Window(
                    w.mark,
                    {key: w.at(key) for key in w.nodes},
                    w.text("domain"),
                    w.time_us("start", 0, 0, 60000000),
                    w.time_us("length", 10, 10, 60000000),
                )
            )
    if m.has("windows") and not m.nodes["windows"].value:
        m.diag.error(m.at("windows"), "the frame has no windows", "give it some, or leave the frame out")
    return frame


def read_channel(m: Map) -> Channel:
    m.require("name", "name it: 'name: t0'")
    m.require("between", "say which two VMs share it: 'between: [linux, rt]'")
    m.choice("type", "tunnel", ("tunnel",))
    name = m.converted("name", "", NAME_RULE, name_of)
    between = m.words("between", "two domain names", lambda text: text)
    write = m.words("write", "domain names", lambda text: text) if m.has("write") else list(between)
    return Channel(m.mark, {key: m.at(key) for key in m.nodes}, name, between, write, m.size("size", 64 * KIB, 4 * KIB, MIB, 4 * KIB))


def suggest(name: str, known: list[str]) -> str:
    """What would be right where a domain's name is expected."""
    return f"the domains are {', '.join(known)}{nearest(name, known)}" if known else "declare the domain first"
