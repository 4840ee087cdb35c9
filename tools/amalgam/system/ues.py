# SPDX-License-Identifier: MIT
"""The cores of an SCC on which a native program or a process runs (`ues`; RCCE calls them units of execution), and what a domain's cores
share there (`shared`, `svm`). kernel/chip/chip.c and kernel/native/native.c have the same rules; neither knows the other's cores."""

from __future__ import annotations

import yaml

from amalgam.board.scc import CORES
from amalgam.system.model import DeviceType, Domain, DomainFlag, Kind, System
from amalgam.system.reader import Map, to_int
from amalgam.system.source import Diagnostics
from amalgam.system.units import KIB, MIB, show_size

MOST_SHARED = 640 * KIB  # of all processes together (SCC_PROCESSES_SIZE)
PROGRAMS = 2 * MIB  # of all native programs together (SCC_PROGRAMS_SIZE)
MOST_SVM = 2816 * 4 * KIB  # the same of shared virtual memory (SVM_PAGES)


def read_ues(m: Map) -> list[int]:
    """A number of them, or a list; all if not said."""
    found = m.words("ues", f"core numbers up to {CORES - 1}", lambda text: value if 0 <= (value := to_int(text) or 0) <= CORES else None)
    numbers = [number for number, _mark in found]
    if numbers and isinstance(m.nodes["ues"], yaml.ScalarNode):
        numbers = list(range(numbers[0]))
    if m.has("ues") and (not numbers or len(set(numbers)) < len(numbers) or max(numbers) >= CORES):
        m.diag.error(m.at("ues"), "'ues' is no number of cores and no list of different ones", f"write 'ues: {CORES}', or 'ues: [0, 47]'")
        return [0]
    return numbers or list(range(CORES))


def check_ues(system: System, domain: Domain, diag: Diagnostics) -> None:
    """Of a process or a guest: only an SCC has them, all if not said, and only core 0 can power it off."""
    if system.board and not system.board.is_scc():
        shape = system.board.shape
        for key in ("ues", "shared", "svm"):
            if key in domain.at:
                wrong = f"'{key}' is about cores of an SCC, and a board of shape {shape} has none"
                diag.error(domain.where(key), wrong, "leave it out, or say 'board: scc'")
        return
    domain.ues = domain.ues or list(range(CORES))
    if DomainFlag.POWER_BOARD in domain.flags and 0 not in domain.ues:
        diag.error(
            domain.where("power"),
            f"core 0 powers the board off, and '{domain.name}' does not run there",
            "add 0 to its 'ues', or leave 'power' out",
        )
    if len(domain.ues) > 1 and any(device.type == DeviceType.NET for device in domain.devices):
        wrong = f"'{domain.name}' would have one network address on {len(domain.ues)} cores"
        diag.error(domain.where("ues"), wrong, "give each of these cores a guest of its own")


def check_strong(system: System, domain: Domain, diag: Diagnostics) -> None:
    """`strong`: a guest is one, with a vCPU on each of its cores. Kernels of that board have one such guest and no others."""
    wanted = bool(system.board and system.board.has("PARA_STRONG"))
    if bool(domain.strong) != wanted:
        wrong, right = ("has no 'strong'", "say how much memory its vCPUs share") if wanted else ("has 'strong'", "say 'board: scc-strong'")
        diag.error(
            domain.where("strong"),
            f"'{domain.name}' {wrong}, and is on the board {system.board.name if system.board else 'of none'}",
            right,
        )
    elif wanted and domain.devices:
        diag.error(domain.where("devices"), f"'{domain.name}' has devices, and its memory comes and goes", "leave them out")
    elif wanted and next(other for other in system.domains if other.kind == Kind.VM) is not domain:
        diag.error(domain.mark, f"'{domain.name}' is a second guest, and a guest on several cores has no other beside it", "leave it out")


def check_joins(system: System, domain: Domain, diag: Diagnostics) -> None:
    """`joins`: a guest has what a process's cores share, and runs in its place on its own cores (kernel/chip/guest.c)."""
    process = next((other for other in system.domains if other.name == domain.joins and other.kind == Kind.PROCESS and other.shared), None)
    rivals = [other for other in system.domains if other is not domain and other.joins == domain.joins and set(other.ues) & set(domain.ues)]
    wrong = ""
    if system.board and not system.kernel_has("CHIP_GUESTS"):
        wrong, right = f"the kernel of the board {system.board.name} (shape {system.shape()}) lets no guest do so", "say 'board: scc-linux'"
    elif not process:
        wrong, right = "there is no such process that has 'shared'", "name one, and say how much its cores share: 'shared: 64K'"
    elif process.ports:
        wrong = f"its other cores would wait for core {min(domain.ues)}, as it has 'ports' and a guest does not"
        right = "join a process without"
    elif outside := set(domain.ues) - set(process.ues or range(CORES)):
        wrong, right = f"core {min(outside)} is none of its", "add it to the 'ues' of the process"
    elif rivals:
        wrong, right = (
            f"so does '{rivals[0].name}' on core {min(set(rivals[0].ues) & set(domain.ues))}",
            "give each of them cores of its own",
        )
    if wrong:
        diag.error(domain.where("joins"), f"'{domain.name}' joins '{domain.joins}', but {wrong}", right)


def most_on_a_core(system: System) -> int:
    """Bytes of the domains that have their memory from one kernel; of an SCC that of the core with the most."""
    if not system.board or not system.board.is_scc():
        return sum(domain.memory for domain in system.domains)
    return max(sum(domain.memory for domain in system.domains if not domain.ues or core in domain.ues) for core in range(CORES))


def at_once(one: Domain, other: Domain) -> bool:
    """Whether both want their cores' message passing buffers: a process has mapped them, a native program uses them while it runs."""
    return Kind.PROCESS in (one.kind, other.kind) or bool(DomainFlag.AUTOSTART & one.flags & other.flags)


def share_chip(system: System, diag: Diagnostics) -> None:
    """Give each process its part of the shared memory. Whose cores' message passing buffers it has may nobody else use, and no two native
    programs may begin with the board on one core."""
    at = 0
    users: list[Domain] = []
    for domain in system.domains:
        domain.shared_at = at
        at += domain.shared
        if at > MOST_SHARED:
            right = "give the processes less"
            diag.error(domain.where("shared"), f"the processes share more than the board's {show_size(MOST_SHARED)}", right)
        if not domain.shared and domain.kind != Kind.NATIVE:
            continue
        other = next((user for user in users if set(user.ues) & set(domain.ues) and at_once(domain, user)), None)
        if other:
            core = min(set(domain.ues) & set(other.ues))
            wrong = f"the message passing buffer of core {core} is that of '{other.name}', and '{domain.name}' would have it, too"
            diag.error(domain.where("ues"), wrong, "give each of them cores of its own in 'ues'")
        users.append(domain)
    share_programs(system)
    share_pages(system, diag)


def share_programs(system: System) -> None:
    """Give each native program an equal part of their memory, in whole pages; who is alone has all."""
    programs = [domain for domain in system.domains if domain.kind == Kind.NATIVE]
    for i, domain in enumerate(programs):
        domain.shared = PROGRAMS // len(programs) // (4 * KIB) * 4 * KIB
        domain.shared_at = i * domain.shared


def share_pages(system: System, diag: Diagnostics) -> None:
    """Shared virtual memory is for processes, one on a core, or for the kernels' own tasks, on all cores."""
    owners = [domain for domain in system.domains if domain.svm]
    for domain in owners:
        if not domain.shared:
            diag.error(
                domain.where("svm"), f"'{domain.name}' has 'svm' and no 'shared'", "say 'shared: 4K', too: it makes its cores its own"
            )
    if sum(domain.svm for domain in owners) > MOST_SVM:
        diag.error(owners[-1].where("svm"), f"the processes have more 'svm' than the board's {show_size(MOST_SVM)}", "give them less")
    task = next((domain for domain in system.domains if domain.task.startswith("svm")), None)
    if owners and task:
        wrong = f"'{task.name}' uses the pages of all cores, and '{owners[0].name}' has 'svm'"
        diag.error(task.mark, wrong, "leave one of the two out")
