# SPDX-License-Identifier: MIT
"""Processes of a system: read from YAML, and checked beside what else there is."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from amalgam.system import model
from amalgam.system.driven import read_driven
from amalgam.system.model import STACK_MOST, STACK_STEP, Boot, Domain, DomainFlag, FileRef, Kind, KvmFeature, System
from amalgam.system.ports import read_ports
from amalgam.system.program import STACK
from amalgam.system.reader import Map, entries, file_ref, to_int
from amalgam.system.source import Diagnostics, Mark
from amalgam.system.spawned import read_spawn
from amalgam.system.ues import MOST_SHARED, MOST_SVM, check_ues, read_ues
from amalgam.system.units import GIB, KIB

ONLY_PROCESS = ("program", "arguments", "environment", "threads", "files", "stack", "spawn", "status")
PROCESS_KEYS = (
    "kind",
    *ONLY_PROCESS,
    "ues",
    "shared",
    "svm",
    "memory",
    "cores",
    "priority",
    "focus",
    "power",
    "restart",
    "autostart",
    "watchdog",
    "devices",
    "ports",
)
MOST_STRINGS = 256  # arguments, and as many of the environment (kernel/process/arguments.c)
ROOM = 8 * KIB  # for them on the first stack, with a pointer to each and VECTOR
VECTOR = 3 * 8 + 11 * 16  # argc, two NULLs, the auxiliary vector
VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"


def read_process(name: str, mark: Mark, m: Map, flags: DomainFlag) -> Domain:
    for key in m.nodes:
        if key not in PROCESS_KEYS:
            m.diag.error(m.keys[key], f"domain '{name}' is a process and has no '{key}'", f"its keys are {', '.join(PROCESS_KEYS)}")
    m.require("program", "a process names its program: a path, or build:NAME.elf")
    m.require("memory", "say how much: 'memory: 256K'")
    program = file_ref(m, "program")
    cores = m.words("cores", "core numbers", lambda text: to_int(text) if (to_int(text) or 0) >= 0 else None) or [(0, m.mark)]
    if len(cores) > model.MAX_CORES:
        m.diag.error(m.at("cores"), f"{len(cores)} cores of '{name}'", f"a process lists at most {model.MAX_CORES}")
        del cores[model.MAX_CORES :]
    domain = Domain(
        mark,
        {key: m.at(key) for key in m.nodes},
        name,
        Kind.PROCESS,
        Boot.RAW,
        len(cores),
        cores,
        memory=m.size("memory", 256 * KIB, 20 * KIB, GIB, 4 * KIB),
        kernel=program,
        initrd=None,
        modules=[],
        cmdline="",
        entry=0,
        acpi=False,
        priority=m.integer("priority", 8, 1, 31),
        watchdog_ms=m.time_us("watchdog", 0, 1000, 65535000) // 1000,
        flags=flags | read_status(m),
        kvm=KvmFeature(0),
        task="",
        devices=[],
        arguments=read_arguments(m, program),
        environment=read_environment(m),
        threads=m.integer("threads", 1, 1, model.MAX_THREADS),
        files=file_ref(m, "files"),
        stack=m.size("stack", STACK, STACK_STEP, STACK_MOST, STACK_STEP),
        ues=read_ues(m) if m.has("ues") else [],
        shared=m.size("shared", 0, 4 * KIB, MOST_SHARED, 4 * KIB),
        svm=m.size("svm", 0, 4 * KIB, MOST_SVM, 4 * KIB),
        driven=read_driven(m),
        ports=read_ports(m),
        slots=read_spawn(m),
    )
    check_strings(domain, m.diag)
    return domain


def read_status(m: Map) -> DomainFlag:
    """`status`: whether it may read how all domains do, and set their priorities."""
    said = m.choice("status", "none", ("none", "read", "control"))
    return {"read": DomainFlag.STATUS, "control": DomainFlag.STATUS | DomainFlag.STATUS_CONTROL}.get(said, DomainFlag(0))


def stem(program: FileRef | None) -> str:
    """What a program is called that nobody calls otherwise."""
    return Path(program.text.partition(":")[2] or program.text).stem if program else "program"


def read_arguments(m: Map, program: FileRef | None) -> list[str]:
    if not m.has("arguments"):
        return [stem(program)]
    return [text for text, _mark in m.words("arguments", "texts", lambda text: text if "\0" not in text else None)]


def read_environment(m: Map) -> list[str]:
    """NAME=VALUE, in the file's order."""
    node = m.nodes.get("environment")
    if node is None:
        return []
    if not isinstance(node, yaml.MappingNode):
        m.diag.error(m.at("environment"), "'environment' is no mapping", "write 'environment: {NAME: value}'")
        return []
    found = []
    for key, value in entries(m.file, node, "'environment'", m.diag):
        if not re.fullmatch(VARIABLE, key.value):
            m.diag.error(m.mark_of(key), f"'{key.value}' cannot name a variable", "use letters, digits and '_', no digit first")
        elif not isinstance(value, yaml.ScalarNode) or "\0" in value.value:
            m.diag.error(m.mark_of(value), f"the value of '{key.value}' is no text", "write NAME: value")
        else:
            found.append(f"{key.value}={value.value}")
    return found


def check_strings(domain: Domain, diag: Diagnostics) -> None:
    for key, texts in (("arguments", domain.arguments), ("environment", domain.environment)):
        if len(texts) > MOST_STRINGS:
            diag.error(domain.where(key), f"{len(texts)} texts in '{key}'", f"at most {MOST_STRINGS}")
    need = len(domain.strings()) + 8 * (len(domain.arguments) + len(domain.environment)) + VECTOR
    if need > ROOM:
        diag.error(
            domain.where("arguments" if "arguments" in domain.at else "environment"),
            f"arguments and environment of '{domain.name}' take {need} bytes of its stack",
            f"all together at most {ROOM}",
        )


def check_process(system: System, domain: Domain, diag: Diagnostics) -> None:
    """The kernel of its board must have processes."""
    if system.board and not system.board.processes:
        diag.error(
            domain.where("kind"),
            f"'{domain.name}' is a process, but the kernel of the board {system.board.name} (shape {system.board.shape}) has none",
            "say 'board: q35'",
        )
    if domain.watchdog_ms and system.board and system.board.is_cluster():
        diag.error(domain.where("watchdog"), f"'{domain.name}' has a watchdog, but the kernels of clusters know none", "leave it out")
    if DomainFlag.STATUS in domain.flags and system.board and not system.kernel_has("STATUS"):
        diag.error(
            domain.where("status"),
            f"'{domain.name}' has the status, which the kernel of the board {system.board.name} (shape {system.shape()}) tells nobody",
            "docs/status.md says on which boards it does",
        )
    check_ues(system, domain, diag)
