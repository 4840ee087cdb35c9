# SPDX-License-Identifier: MIT
"""The device tree of a cluster: its own harts, its slice, the doorbells of its master and of the others, and one node `amalgam,cluster` about the board around it.
A fleet's harts have no doorbells: they are rung by calls.

Hart numbers are the board's everywhere: in `reg` of a cpu, in SBI calls, in a0 at the entry. docs/boards.md has the node's properties.
"""

from __future__ import annotations

from amalgam.board.seeds import SEED_SIZE
from amalgam.system.clusters import model
from amalgam.system.clusters.fdt import Node, blob, pair
from amalgam.system.clusters.model import Board, Cluster, ClusterSystem

SUPERVISOR_SOFTWARE = 1  # IRQ_S_SOFT of riscv,cpu-intc
ISA = "imafdc_zicsr_zifencei_zihintpause_sstc"
RNG_SEED = "rng-seed"  # zeros until the board is started (board/seeds.py)
SVNAPOT = "svnapot"  # pages of 64 KiB: 64-bit harts have them if their board's `cpu` asks for it
NO_BELL = 0xFFFFFFFF  # no offset of a doorbell
MMU = {64: "riscv,sv39", 32: "riscv,sv32"}


def cpu(hart: int, board: Board) -> Node:
    intc = Node(
        "interrupt-controller",
        {
            "#address-cells": [0],
            "#interrupt-cells": [1],
            "interrupt-controller": None,
            "compatible": "riscv,cpu-intc",
            "phandle": [hart + 1],
        },
    )
    return Node(
        f"cpu@{hart:x}",
        {
            "device_type": "cpu",
            "reg": [hart],
            "status": "okay",
            "compatible": "riscv",
            "riscv,isa": f"rv{board.bits}{ISA}" + (f"_{SVNAPOT}" if has_svnapot(board) else ""),
            "mmu-type": MMU[board.bits],
        },
        [intc],
    )


def has_svnapot(board: Board) -> bool:
    return board.bits == 64 and f"{SVNAPOT}=on" in board.cpu.split(",")


def doorbells(harts: list[int]) -> Node:
    """Those of harts that follow each other, as ACLINT 1.0 has it: the n-th register is that of the n-th interrupt."""
    at = model.DOORBELLS + 4 * harts[0]
    cells = [cell for hart in harts for cell in (hart + 1, SUPERVISOR_SOFTWARE)]
    return Node(
        f"sswi@{at:x}",
        {
            "compatible": "riscv,aclint-sswi",
            "reg": [*pair(at), *pair(4 * len(harts))],
            "interrupts-extended": cells,
            "interrupt-controller": None,
            "#interrupt-cells": [0],
            "#address-cells": [0],
        },
    )


def board_node(system: ClusterSystem, own: Cluster) -> Node:
    """What a cluster knows of the others."""
    if system.fleet:
        at, size = model.REGISTERS, model.PAGE
        rings = [(model.RING_AT, c.number << 16) for c in system.clusters]
    else:
        at, size = model.DOORBELLS, model.DOORBELLS_SIZE
        rings = [(4 * c.master, 1) for c in system.clusters]
    around = [cell for c in system.clusters for cell in (int(c.kind), c.master, c.harts, int(c.dma))]
    harts = [cell for hart in own.own_harts for cell in (hart, NO_BELL if system.fleet else 4 * hart)]
    limit: dict[str, list[int]] = {"amalgam,awake": [own.awake]} if own.awake else {}
    svnapot = {f"amalgam,{SVNAPOT}": None} if system.board and has_svnapot(system.board) else {}
    return Node(
        "cluster",
        {
            "compatible": "amalgam,cluster",
            "amalgam,number": [own.number],
            "amalgam,count": [len(system.clusters)],
            "amalgam,name": own.name,
            "amalgam,noc": [*pair(system.noc), *pair(system.noc_size)],
            "amalgam,outbox": [*pair(own.outbox), *pair(system.outbox)],
            "amalgam,doorbells": [*pair(at), *pair(size)],
            "amalgam,rings": [cell for ring in rings for cell in ring],
            "amalgam,patience": [system.patience],
            "amalgam,zeroed": None,
            "amalgam,clusters": around,
            "amalgam,harts": harts,
            "amalgam,sstc": None,
            **svnapot,
            "timebase-frequency": [model.TIMEBASE],
            **limit,
        },
    )


def reserved(own: Cluster) -> Node:
    """The tree itself."""
    where = {"reg": [*pair(own.tree_at), *pair(own.base + own.memory - own.tree_at)]}
    tree = Node(f"tree@{own.tree_at:x}", dict(where))
    return Node("reserved-memory", {"#address-cells": [2], "#size-cells": [2], "ranges": None}, [tree])


def tree_of(system: ClusterSystem, own: Cluster) -> bytes:
    """The blob. The cluster must be placed, and have its image."""
    assert system.board and own.image
    cpus = Node(
        "cpus",
        {"#address-cells": [1], "#size-cells": [0], "timebase-frequency": [model.TIMEBASE]},
        [cpu(hart, system.board) for hart in own.own_harts],
    )
    chosen = Node(
        "chosen", {"bootargs": own.cmdline, "amalgam,image": [*pair(own.base), *pair(own.image.room)], RNG_SEED: bytes(SEED_SIZE)}
    )
    if own.module_data:
        chosen.properties["linux,initrd-start"] = pair(own.module_at)
        chosen.properties["linux,initrd-end"] = pair(own.module_at + len(own.module_data))
    memory = Node(f"memory@{own.base:x}", {"device_type": "memory", "reg": [*pair(own.base), *pair(own.memory)]})
    rows = [] if system.fleet else [own.own_harts[:1], own.own_harts[1:]]
    bells = [doorbells(harts) for harts in rows if harts]
    soc = Node("soc", {"compatible": "simple-bus", "#address-cells": [2], "#size-cells": [2], "ranges": None}, bells)
    root = Node(
        "",
        {"#address-cells": [2], "#size-cells": [2], "compatible": "amalgam,manycore", "model": "amalgam,manycore"},
        [chosen, memory, reserved(own), board_node(system, own), cpus, soc],  # a kernel that knows the node of the board need not read on
    )
    return blob(root, own.master)
