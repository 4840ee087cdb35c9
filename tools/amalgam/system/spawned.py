# SPDX-License-Identifier: MIT
"""Slots for programs that a process starts (`spawn` of a process): a record for each, which has no program of its own. The kernel checks
them again (kernel/spawn/slots.c)."""

from __future__ import annotations

import copy

from amalgam.system import model
from amalgam.system.model import STACK_MOST, STACK_STEP, Domain, DomainFlag, Slots, System
from amalgam.system.program import STACK
from amalgam.system.reader import Map, to_int
from amalgam.system.source import Diagnostics, Mark
from amalgam.system.units import GIB, KIB

KEYS = ("slots", "memory", "threads", "stack", "cores")


def read_spawn(m: Map) -> Slots | None:
    if not m.has("spawn"):
        return None
    own = Map(m.file, m.nodes["spawn"], "'spawn'", KEYS, m.diag)
    own.require("slots", "say how many programs may run at once: 'slots: 4'")
    own.require("memory", "say how much each of them has: 'memory: 256K'")
    return Slots(
        own.mark,
        {key: own.at(key) for key in own.nodes},
        own.integer("slots", 1, 1, model.MAX_DOMAINS - 1),
        own.size("memory", 256 * KIB, 20 * KIB, GIB, 4 * KIB),
        own.integer("threads", 1, 1, model.MAX_THREADS),
        own.size("stack", STACK, STACK_STEP, STACK_MOST, STACK_STEP),
        own.words("cores", "core numbers", lambda text: to_int(text) if (to_int(text) or 0) >= 0 else None),
    )


def cores_of(slots: Slots, number: int) -> list[tuple[int, Mark]]:
    """Those of a slot, numbered from 1: the next ones for each, from the first one again when none is left."""
    n, all_of_them = min(slots.threads, len(slots.cores)), slots.cores
    return [all_of_them[((number - 1) * n + i) % len(all_of_them)] for i in range(n)]


def slot_of(owner: Domain, slots: Slots, number: int) -> Domain:
    """A record like the owner's, with nothing in it."""
    made = copy.copy(owner)
    made.mark, made.at = slots.mark, dict(slots.at)
    made.name = f"{owner.name}.{number}"
    made.kernel = made.files = None
    made.memory, made.threads, made.stack = slots.memory, slots.threads, slots.stack
    made.arguments, made.environment, made.driven, made.ports, made.ues = [], [], [], [], []
    made.flags, made.watchdog_ms, made.shared, made.svm = DomainFlag.STARTED, 0, 0, 0
    made.slots, made.spawner = None, owner.name
    if slots.cores:
        made.cores = cores_of(slots, number)
        made.vcpus = len(made.cores)
    return made


def add_slots(domains: list[Domain]) -> list[Domain]:
    """The domains, and behind them their slots, so that no domain's number depends on another one's slots."""
    return domains + [slot_of(d, d.slots, number) for d in domains if d.slots for number in range(1, d.slots.number + 1)]


def check_spawn(system: System, diag: Diagnostics) -> None:
    owners = [d for d in system.domains if d.slots]
    for owner in owners:
        slots = owner.slots
        assert slots
        if system.board and not system.kernel_has("SPAWN"):
            diag.error(
                owner.where("spawn"),
                f"'{owner.name}' starts programs, but the kernel of the board {system.board.name} (shape {system.shape()}) cannot",
                "say 'kernel: shape:cluster-spawn', with 32 bits 'shape:cluster32-spawn'"
                if system.board.is_cluster()
                else "say 'board: q35-spawn'",
            )
        if slots.memory <= slots.stack:
            diag.error(slots.where("memory"), f"a slot of '{owner.name}' has no more memory than its stack", "give it more")
        if len(f"{owner.name}.{slots.number}") >= model.NAME:
            diag.error(
                owner.mark,
                f"'{owner.name}' is too long for the names of its slots",
                f"'{owner.name}.{slots.number}' has to be shorter than {model.NAME} letters",
            )
    if owners and len(system.domains) > model.MAX_DOMAINS:
        own = len([d for d in system.domains if not d.spawner])
        diag.error(
            owners[0].where("spawn"),
            f"{own} domains and {len(system.domains) - own} slots",
            f"a system has at most {model.MAX_DOMAINS}, slots among them",
        )
