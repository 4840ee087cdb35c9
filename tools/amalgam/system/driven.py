# SPDX-License-Identifier: MIT
"""Devices of the board that processes drive (`devices` of a process): their names, and who has which. The kernel checks all of it again
(kernel/device/grant.c), and whether the board has them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from amalgam.build import kconfig
from amalgam.system import model
from amalgam.system.boards import Board
from amalgam.system.model import Domain, Kind, System
from amalgam.system.reader import Map
from amalgam.system.source import Diagnostics, Mark

# Of kernel/include/hal/device.h: what the boards of a family (system/families.py) may have for processes; VIRTIO wherever their kernel has that.
VIRTIO = ("virtio-net", "virtio-blk")
CLASSES = {"pc": ("rtl8139",), "scc": ("rtl8139",)}
MOST = 4  # of a class, and of a PC in all: each has an interrupt line of its own (HAL_LINES)
NAME = re.compile(rf"({'|'.join(dict.fromkeys([name for names in CLASSES.values() for name in names] + [*VIRTIO]))})-([0-{MOST - 1}])")


def classes(board: Board | None) -> tuple[str, ...]:
    """What the board may have for processes."""
    if not board or not board.devices:
        return ()
    return CLASSES.get(board.family, ()) + (VIRTIO if kconfig.has(board.devices, "DEVICE_VIRTIO") else ())


def read_driven(m: Map) -> list[tuple[str, Mark]]:
    """Names, each CLASS-NUMBER."""
    found = m.words("devices", f"names such as rtl8139-0 or virtio-net-{MOST - 1}", lambda text: text if NAME.fullmatch(text) else None)
    if len(found) > model.MAX_DRIVEN:
        m.diag.error(m.at("devices"), f"{len(found)} devices of one process", f"a process drives at most {model.MAX_DRIVEN}")
        del found[model.MAX_DRIVEN :]
    return found


def remedy(board: Board) -> str:
    """Who has devices, when this board's kernel has none."""
    if not board.family.startswith("manycore"):
        return "say 'board: q35'"
    bits = "32" if board.cpu.startswith("rv32") else ""
    kernel = f"'kernel: shape:cluster{bits}-net'"
    return f"say 'board: manycore{bits}' and {kernel}" if board.family == "manycore-fleet" else f"say {kernel}"


def check_driven(system: System, diag: Diagnostics) -> None:
    """The board's kernel has to lend devices, and a device has one driver."""
    owners: dict[str, Domain] = {}
    for domain in (d for d in system.domains if d.kind == Kind.PROCESS):
        if domain.driven and system.board and not system.board.devices:
            diag.error(
                domain.where("devices"),
                f"'{domain.name}' drives devices, but the kernel of the board {system.board.name} lends none",
                remedy(system.board),
            )
        if domain.driven and system.board and system.board.family == "scc" and domain.ues != [0]:
            diag.error(domain.where("devices"), f"'{domain.name}' drives devices, and only core 0 has any", "say 'ues: [0]'")
        for name, mark in domain.driven:
            has = classes(system.board)
            if has and system.board and not name.startswith(has):
                diag.error(mark, f"the board {system.board.name} has no {name}", f"it may have {' and '.join(has)}")
            if name in owners:
                diag.error(mark, f"'{domain.name}' drives {name}, which '{owners[name].name}' has already", "a device has one driver")
            owners.setdefault(name, domain)
    if (
        owners
        and system.board
        and system.board.family == "pc"
        and (n := sum(highest(system, class_) for class_ in classes(system.board))) > MOST
    ):
        last = list(owners.values())[-1]
        diag.error(
            last.where("devices"),
            f"the board would have {n} devices, and it has interrupt lines for {MOST}",
            "the devices of a class are counted from 0: use low numbers",
        )


def check_lent(what: str, named: list[tuple[str, Mark]], diag: Diagnostics) -> None:
    """What a firmware lends a kernel that is nobody's shape: virtio devices alone, each once."""
    seen: set[str] = set()
    for name, mark in named:
        if not name.startswith(VIRTIO):
            diag.error(mark, f"no cluster has {name}", f"it may have {' and '.join(VIRTIO)}")
        if name in seen:
            diag.error(mark, f"{what} has {name} already", "name each device once")
        seen.add(name)


def highest(system: System, class_: str) -> int:
    """How many devices of a class an emulated board needs, so that the last one has the name that was said."""
    return most_of((name for domain in system.domains for name, _ in domain.driven), class_)


def most_of(names: Iterable[str], class_: str) -> int:
    """The same, of these names."""
    parts = [name.rpartition("-") for name in names]
    return max((int(number) for class_of, _, number in parts if class_of == class_), default=-1) + 1
