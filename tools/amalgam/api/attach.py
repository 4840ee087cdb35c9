# SPDX-License-Identifier: MIT
"""The attach shape's part of generate.py: numbers of what the Linux above asks, and their table in docs/attach-internals.md."""

from __future__ import annotations

from pathlib import Path

from amalgam.api import tables

SOURCE = tables.ROOT / "kernel/api/attach.yaml"
HEADER = tables.ROOT / "kernel/api/attach_calls.h"
MANUAL = tables.ROOT / "docs/attach-internals.md"
REGISTERS = 2
CALL_KEYS = {"name", "number", "text", "returns", "args", "errors"}
ARG_KEYS = {"name", "text"}


def load(path: Path = SOURCE) -> dict:
    return tables.load(path, CALL_KEYS, ARG_KEYS, REGISTERS)


def header(api: dict) -> str:
    names = [f"ATTACH_CALL_{c['name'].upper()}" for c in api["calls"]]
    width = max(map(len, names))
    numbers = "".join(f"#define {n:{width}} {api['base'] + c['number']:#x}\n" for n, c in zip(names, api["calls"], strict=True))
    return f"""/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/attach.yaml by tools/amalgam/api/generate.py: edit that. */
#ifndef AMALGAM_API_ATTACH_CALLS_H
#define AMALGAM_API_ATTACH_CALLS_H

{numbers}
#endif
"""


def manual(api: dict) -> str:
    out = "| number | call | purpose, arguments | result |\n|---|---|---|---|\n"
    for call in api["calls"]:
        names = ", ".join(a["name"] for a in call["args"])
        does = call["text"] + "".join(f" *{a['name']}: {a['text']}.*" for a in call["args"])
        out += f"| {api['base'] + call['number']:#x} | `{call['name']}({names})` | {does} | {tables.results(call)} |\n"
    return tables.replaced(MANUAL, "kernel/api/attach.yaml", out)
