# SPDX-License-Identifier: MIT
"""A core's major frame: read from YAML, checked against the system, its gaps given to the shared group."""

from __future__ import annotations

from itertools import pairwise

from amalgam.system import model
from amalgam.system.model import Frame, System, Window
from amalgam.system.reader import Map, suggest
from amalgam.system.source import Diagnostics
from amalgam.system.units import show_time


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


def check_times(frame: Frame, cores: int, diag: Diagnostics) -> None:
    """Of a frame of any shape, on a board with so many cores."""
    if frame.core >= cores:
        diag.error(frame.where("core"), f"a frame for core {frame.core}, but the board has {cores}", f"use 0 to {cores - 1}")
    for window in frame.windows:
        if window.start_us + window.length_us > frame.length_us:
            diag.error(
                window.where("length"),
                f"the window ends at {show_time(window.start_us + window.length_us)}, after its frame of {show_time(frame.length_us)}",
                f"it must end by {show_time(frame.length_us)}",
            )
    for before, after in pairwise(sorted(frame.windows, key=lambda w: w.start_us)):
        end = before.start_us + before.length_us
        if after.start_us < end:
            diag.error(
                after.where("start"),
                f"the window overlaps that of '{before.domain}' in line {before.mark.line}, which ends at {show_time(end)}",
                f"start it at {show_time(end)} or later",
            )


def check_frame(system: System, frame: Frame, diag: Diagnostics) -> None:
    check_times(frame, system.cores, diag)
    known = [d.name for d in system.domains]
    here = [d for d in system.domains if frame.core in [core for core, _ in d.cores]]
    for window in frame.windows:
        name = window.domain
        if name != model.SHARED and name not in known:
            diag.error(window.where("domain"), f"there is no domain '{name}'", suggest(name, [*known, model.SHARED]))
        elif name != model.SHARED and name not in [d.name for d in here]:
            diag.error(
                window.where("domain"),
                f"'{name}' has no vCPU on core {frame.core}, so its window there would be lost",
                f"add {frame.core} to its 'cores', or remove the window",
            )
    owners = {w.domain for w in frame.windows} - {model.SHARED}
    if len(owners) > model.MAX_GROUPS:
        diag.error(
            frame.where("windows"),
            f"{len(owners)} domains have windows on core {frame.core}",
            f"at most {model.MAX_GROUPS}; let some share",
        )
    filled = with_shared(frame)
    if len(filled) > model.MAX_WINDOWS:
        diag.error(
            frame.where("windows"),
            f"the frame has {len(filled)} windows (gaps between them count, they are shared)",
            f"at most {model.MAX_WINDOWS}",
        )
    if not any(name == model.SHARED for name, _, _ in filled):
        if frame.core == 0:
            diag.error(
                frame.where("windows"),
                "the windows take all of core 0, where the kernel's own threads run",
                f"leave time for '{model.SHARED}', or use another core",
            )
        for domain in here:
            if domain.name not in owners:
                diag.error(
                    frame.where("windows"),
                    f"'{domain.name}' has a vCPU on core {frame.core} but would never run: no window is its own and none is shared",
                    f"give it a window, or leave time for '{model.SHARED}'",
                )


def with_shared(frame: Frame, shared: str = model.SHARED) -> list[tuple[str, int, int]]:
    """The frame's windows (domain, start, length) in order, the time between them given to the shared group."""
    filled: list[tuple[str, int, int]] = []
    now = 0
    for window in sorted(frame.windows, key=lambda w: w.start_us):
        if window.start_us > now:
            filled.append((shared, now, window.start_us - now))
        filled.append((window.domain, window.start_us, window.length_us))
        now = max(now, window.start_us + window.length_us)
    if now < frame.length_us:
        filled.append((shared, now, frame.length_us - now))
    return filled
