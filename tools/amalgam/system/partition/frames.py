# SPDX-License-Identifier: MIT
"""Plans of a partitioned system, their frames and windows: what is wrong about them, and who runs in the pool."""

from __future__ import annotations

from amalgam.system.check import repeated
from amalgam.system.frames import check_times, with_shared
from amalgam.system.model import Frame
from amalgam.system.partition import model
from amalgam.system.partition.model import PartitionSystem, Plan, VmFlag
from amalgam.system.reader import suggest
from amalgam.system.source import Diagnostics
from amalgam.system.units import show_time


def check_plan(system: PartitionSystem, plan: Plan, diag: Diagnostics) -> None:
    for frame in plan.frames:
        check_frame(system, frame, diag)
    for frame, first in repeated(plan.frames, lambda f: f.core):
        diag.error(
            frame.where("core"),
            f"core {frame.core} has two frames in the plan '{plan.name}'",
            f"merge it with the frame in line {first.mark.line}",
        )


def check_frame(system: PartitionSystem, frame: Frame, diag: Diagnostics) -> None:
    check_times(frame, system.cores, diag)
    for window in frame.windows:
        domain = system.domain(window.domain)
        if window.domain != model.ANY and domain is None:
            known = [d.name for d in system.domains]
            diag.error(window.where("domain"), f"there is no domain '{window.domain}'", suggest(window.domain, [*known, model.ANY]))
        elif domain and frame.core not in [core for core, _ in domain.cores]:
            diag.error(
                window.where("domain"),
                f"'{domain.name}' does not run on core {frame.core}, so its window there would be lost",
                f"add {frame.core} to its 'cores', or remove the window",
            )
    filled = with_shared(frame, model.ANY)
    bounds = (model.window_least(system.cores), model.WINDOW_MOST)
    least, most = (-(-ticks * 1000000 // system.board.timebase) for ticks in bounds) if system.board else (0, 0)
    for name, start, length in filled:
        if system.board and not least <= length < most:
            window = next((w for w in frame.windows if w.start_us == start and w.domain == name), None)
            diag.error(
                window.where("length") if window else frame.where("windows"),
                f"the {'window' if window else 'gap'} at {show_time(start)} is {show_time(length)} long",
                f"the kernel switches windows of {show_time(least)} to {show_time(most - 1)}",
            )
    if system.board and frame.length_us >= most:
        diag.error(
            frame.where("length"),
            f"the frame is {show_time(frame.length_us)} long",
            f"who sleeps is looked at once a frame, and the kernel compares times of 32 bits: at most {show_time(most - 1)}",
        )
    count = len(filled)
    if count > model.MAX_WINDOWS:
        diag.error(
            frame.where("windows"), f"the frame has {count} windows (gaps count, they are '{model.ANY}')", f"at most {model.MAX_WINDOWS}"
        )


def place_in_time(system: PartitionSystem, diag: Diagnostics) -> None:
    """Who has windows of its own, who waits in the pool; nobody may be left without time."""
    for domain in system.domains:
        owned = [(frame, w) for plan in system.plans for frame in plan.frames for w in frame.windows if w.domain == domain.name]
        cores = {frame.core for frame, _ in owned}
        if len(cores) > 1:
            second = next(w for frame, w in owned if frame.core != owned[0][0].core)
            diag.error(
                second.where("domain"),
                f"'{domain.name}' has windows on cores {' and '.join(map(str, sorted(cores)))}, but one processor",
                f"give it windows on one core, or none: then it runs in '{model.ANY}' windows of all its cores",
            )
        if not owned:
            domain.flags |= VmFlag.BACKGROUND
        elif len(domain.cores) > 1 and "cores" in domain.at and len(cores) == 1:
            diag.error(
                domain.where("cores"),
                f"'{domain.name}' has windows on core {owned[0][0].core}, so it never runs on its other cores",
                f"say 'cores: [{owned[0][0].core}]', or take its windows away",
            )
        elif len(cores) == 1:
            domain.cores = [(cores.pop(), domain.mark)]
    check_nobody_starves(system, diag)


def check_nobody_starves(system: PartitionSystem, diag: Diagnostics) -> None:
    """A domain of the pool needs a core whose frame leaves time to it in the plan that the system starts with."""
    frames = {frame.core: frame for frame in system.plans[0].frames}
    for domain in system.domains:
        if VmFlag.BACKGROUND not in domain.flags:
            continue
        here = [frames.get(core) for core, _ in domain.cores if core < system.cores]
        free = [frame is None or any(name == model.ANY for name, _, _ in with_shared(frame, model.ANY)) for frame in here]
        if here and not any(free):
            diag.error(
                domain.mark,
                f"'{domain.name}' would never run: it has no window, and no frame of its cores leaves time to '{model.ANY}'",
                f"give it a window, or leave time for '{model.ANY}' on one of its cores",
            )
