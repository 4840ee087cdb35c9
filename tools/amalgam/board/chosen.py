# SPDX-License-Identifier: MIT
"""The machine that `run` starts: a system, built, on its board, with the options of the command."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from amalgam import paths
from amalgam.errors import UserError
from amalgam.kernel import build_kernel
from amalgam.ui import Progress, working

if TYPE_CHECKING:
    from amalgam.board.board import Board
    from amalgam.board.fleet import Fleet
    from amalgam.board.machine import Machine
    from amalgam.board.manycore import Manycore
    from amalgam.board.nodes import NodesBoard
    from amalgam.system.clusters.model import ClusterSystem
    from amalgam.system.model import System
    from amalgam.system.partition.model import PartitionSystem


def prepared(args: argparse.Namespace) -> tuple[System | PartitionSystem | ClusterSystem, Machine | Fleet | Manycore]:
    """Everything built; the machine to start."""
    from amalgam.board.dead import held
    from amalgam.system.compile import compile_system, locate, shape_of
    from amalgam.system.guest import guest_file

    if args.system == "guest":
        if not args.kernel:
            raise UserError("'run guest' needs a kernel", "./amalgam run guest --kernel FILE", 2)
        path = guest_file(args)
    else:
        path = locate(args.system)
    with working(f"building {args.system}") as progress:
        if shape_of(path) in paths.SHAPES:  # clusters name their kernels themselves
            build_kernel(shape_of(path), progress)
        system, image = compile_system(path, progress, change=held if args.core else lambda _system: None)
        machine = machine_of(system, image, path, args, progress)
    machine.icount, machine.gdb = args.icount, args.gdb
    return system, machine


def machine_of(
    system: System | PartitionSystem | ClusterSystem, image: Path, path: Path, args: argparse.Namespace, progress: Progress
) -> Machine | Fleet | Manycore:
    """The board of a compiled system, with the options that only one kind of board has."""
    from amalgam.board.bochs import BochsPc
    from amalgam.board.fleet import fleet_for
    from amalgam.board.machine import machine_for
    from amalgam.board.manycore import manycore_for
    from amalgam.board.scc_fleet import SccFleet
    from amalgam.iso import make_iso
    from amalgam.system.clusters.model import ClusterSystem
    from amalgam.system.partition.model import PartitionSystem

    if isinstance(system, PartitionSystem | ClusterSystem):
        if args.iso or args.cpu or args.network:
            raise UserError("--iso, --cpu and --network go with the q35 board only", "leave them out", 2)
        if args.icount and isinstance(system, ClusterSystem) and system.fleet:
            raise UserError("--icount has no meaning for a fleet: each emulator has a clock of its own", "use the board manycore", 2)
        return fleet_for(system, image) if isinstance(system, PartitionSystem) else manycore_for(system, image)
    machine = machine_for(system, image)
    machine.cpu = args.cpu or machine.cpu
    if isinstance(machine, SccFleet) and (args.icount or args.core or args.iso):
        raise UserError("--icount, --core and --iso have no meaning for a fleet of many emulators", "use the board scc", 2)
    if isinstance(machine, BochsPc) and (args.icount or args.core or args.gdb):
        raise UserError("--icount, --core and --gdb go with boards of QEMU", "leave them out", 2)
    if args.network and not machine.cards:
        raise UserError("--network goes with systems in which a process drives a network card", "leave it out", 2)
    machine.network = args.network
    if args.iso:
        machine.iso = make_iso(image.stem, machine.kernel, image, progress)
    return machine


def board_of(machine: Machine | Fleet | Manycore, names: list[str], logs: Path | None = None) -> Board | NodesBoard:
    """The machine as a program uses it."""
    from amalgam.board.fleet import Fleet, FleetBoard
    from amalgam.board.manycore import Manycore

    if isinstance(machine, Manycore):
        return machine.board(logs)
    return FleetBoard(machine, logs) if isinstance(machine, Fleet) else machine.board(names, logs)
