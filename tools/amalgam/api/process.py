# SPDX-License-Identifier: MIT
"""The processes' half of generate.py: numbers for the kernel, the headers of programs and their tables in docs/. A part of processes has a table
of its own, kernel/api/PART.yaml; which those are is looked up in that folder."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from amalgam.api import tables as forms
from amalgam.api.tables import ApiError

REGISTERS = 4
COLUMNS = 120  # of .clang-format


@dataclass(frozen=True)
class Table:
    """One of them: PREFIX_call_NAME() are the kernel's functions, AMALGAM_NAME the programs' numbers."""

    prefix: str
    source: str  # below ROOT, as are the others
    header: str
    manual: str
    included_by: str  # the header that programs include

    def path(self, name: str) -> Path:
        return forms.ROOT / name

    @property
    def license(self) -> str:
        return f"/* SPDX-License-Identifier: MIT */\n/* Made from {self.source} by tools/amalgam/api/generate.py: edit that. */\n"

    @property
    def numbers(self) -> str:
        return f"{self.prefix.upper()}_CALL"


FIRST = "process"  # the table of what every process may ask for; its header has what the others' need
TABLE_KEYS = ("header", "manual", "included_by")


@cache
def table_named(prefix: str) -> Table:
    """That of kernel/api/PREFIX.yaml, which says where what is made of it goes."""
    source = f"kernel/api/{prefix}.yaml"
    said = yaml.safe_load((forms.ROOT / source).read_text(encoding="utf-8"))
    if missing := [key for key in TABLE_KEYS if key not in said]:
        raise ApiError(f"{source} says no {', '.join(missing)}")
    return Table(prefix, source, *(said[key] for key in TABLE_KEYS))


@cache
def tables() -> tuple[Table, ...]:
    """All of kernel/api whose callers are processes, that of all processes first."""
    folder = forms.ROOT / "kernel/api"
    names = [p.stem for p in sorted(folder.glob("*.yaml")) if "\ncaller: struct process_thread\n" in p.read_text(encoding="utf-8")]
    return tuple(table_named(name) for name in sorted(names, key=lambda name: name != FIRST))


CALL_KEYS = {"name", "number", "fast", "aside", "rare", "blocks", "remote", "ends", "text", "returns", "type", "args", "errors"}
ARG_KEYS = {"name", "value", "of", "address", "buffer", "type", "text"}
ALWAYS = ("ENOSYS", "ERANGE")  # what any call may return


def load(table: Table | None = None, path: Path | None = None) -> dict:
    """The calls of a table (default: of all processes), from `path` if that is given."""
    table = table or table_named(FIRST)
    path = path or table.path(table.source)
    api = forms.load(path, CALL_KEYS, ARG_KEYS, REGISTERS)
    for call in api["calls"]:
        where = f"{path.name}: call {call['name']}"
        if call.get("fast") and call.get("ends"):
            raise ApiError(f"{where}: a fast call returns")
        if sum(bool(call.get(key)) for key in ("fast", "rare", "blocks")) > 1:
            raise ApiError(f"{where}: a call is one of fast, rare, blocks")
        if call.get("remote") and (call.get("fast") or call.get("ends")):
            raise ApiError(f"{where}: a call that is remote is neither fast nor the last one")
        names = [a["name"] for a in call["args"]]
        for arg in call["args"]:
            if len([k for k in ("value", "of", "address", "buffer") if k in arg]) != 1:
                raise ApiError(f"{where}: argument {arg['name']} is exactly one of value, of, address, buffer")
            if "buffer" in arg and arg["buffer"]["length"] not in names:
                raise ApiError(f"{where}: the length of {arg['name']} is no argument")
            if is_wide(arg) and (arg is not call["args"][-1] or len(names) == REGISTERS):
                raise ApiError(f"{where}: argument {arg['name']} has 64 bits, so it comes last and leaves a register for its upper half")
            if "of" not in arg and "type" not in arg:
                raise ApiError(f"{where}: argument {arg['name']} has no type in programs")
    return api | {"table": table}


def largest(arg: dict) -> int | None:
    """The largest value that reaches the call; None: any does."""
    return len(arg["of"]) - 1 if "of" in arg else arg.get("value", {}).get("max")


def is_wide(arg: dict) -> bool:
    """It has 64 bits, also where a register has 32: then it takes two."""
    return arg.get("value", {}).get("bits") == 64


def kernel_type(arg: dict) -> str:
    limit = largest(arg)
    return "u64" if limit is None or limit >> 32 else "u32"


def signature(api: dict, call: dict) -> str:
    """The kernel's function of one call."""
    args = "".join(f", {kernel_type(a)} {a['name']}" for a in call["args"])
    return f"s64 {api['table'].prefix}_call_{call['name']}({'struct user *u' if call.get('fast') else api['caller'] + ' *caller'}{args})"


def _enums(api: dict, prefix: str) -> str:
    out = ""
    for call in api["calls"]:
        for arg in call["args"]:
            if "of" in arg:
                names = ", ".join(f"{prefix}_{call['name']}_{word}".upper() for word in arg["of"])
                line = f"enum {prefix}_{call['name']} {{ {names} }};\n"
                out += line if len(line) <= COLUMNS + 1 else line.replace("{ ", "{\n    ").replace(", ", ",\n    ").replace(" }", "\n}")
    return out


def _numbers(api: dict, prefix: str) -> str:
    return "".join(f"    {prefix}_{c['name'].upper()} = {api['base'] + c['number']:#x},\n" for c in api["calls"])


def kernel_header(api: dict) -> str:
    """Numbers, and the functions that the kernel's part of the same name defines. Who calls them: dispatch.py."""
    table, caller = api["table"], api["caller"]
    prototypes = "".join(f"{signature(api, c)};\n" for c in api["calls"])
    if api.get("faults"):
        prototypes += f"bool {api['faults']}({caller} *caller, u64 at, unsigned access);\n"
    return f"""{table.license}/* What can be checked without the call's own state has been, when {table.prefix}_call_NAME() runs (generated/dispatch.h). Memory of
 * the caller is reached through {api["memory"]}. */
#ifndef GENERATED_{table.numbers}S_H
#define GENERATED_{table.numbers}S_H

#include <hal/user.h>
#include <types.h>

#define {table.numbers}S_VERSION {api["version"]}
enum {table.prefix}_call_number {{
{_numbers(api, table.numbers)}}};
{_enums(api, f"{table.prefix}_call")}
{caller};

{prototypes}
#endif
"""


def _declared(arg: dict, call: dict) -> str:
    kind = arg.get("type", f"enum amalgam_{call['name']}")
    if "(*)" in kind:
        return kind.replace("(*)", f"(*{arg['name']})")
    return f"{kind}{'' if kind.endswith('*') else ' '}{arg['name']}"


def _comment(call: dict) -> str:
    said = [" ".join(call["text"].split())]
    said += [f"{a['name']}: {a['text']}." for a in call["args"]]
    said += [] if call.get("ends") else [f"Returns {call['returns']}" + ("" if call.get("errors") else ".")]
    if call.get("errors"):
        said[-1] += "".join(f"; -{name}: {text}" for name, text in call["errors"].items()) + "."
    lines = textwrap.wrap(" ".join(said), 114, break_on_hyphens=False)
    if len(lines) == 1:
        return f"/* {lines[0]} */\n"
    return "/*\n" + "".join(f" * {line}\n" for line in lines) + " */\n"


def _stub(call: dict) -> str:
    parameters = ", ".join(_declared(a, call) for a in call["args"]) or "void"
    values = [f"AMALGAM_WIDE({a['name']})" if is_wide(a) else f"(uintptr_t){a['name']}" for a in call["args"]]
    taken = len(values) + any(map(is_wide, call["args"]))
    made = f"amalgam_call(AMALGAM_{call['name'].upper()}, {', '.join(values + ['0'] * (REGISTERS - taken))})"
    kind = call.get("type", "int64_t")
    if call.get("ends"):
        head, body = f"static inline _Noreturn void amalgam_{call['name']}({parameters})", f"for (;;)\n        {made};"
    else:
        cast = "" if kind == "int64_t" else f"({kind})"
        head, body = f"static inline {kind} amalgam_{call['name']}({parameters})", f"return {cast}{made};"
    one_line = f"{head} {{ {body} }}\n"
    fits = not call.get("ends") and len(one_line) <= COLUMNS + 1
    return f"\n{_comment(call)}" + (one_line if fits else f"{head}\n{{\n    {body}\n}}\n")


def user_header(api: dict) -> str:
    table = api["table"]
    name = table.path(table.header).stem
    guard = f"AMALGAM_{name.upper()}_H"
    return f"""{table.license}/* Included by {table.included_by}, which says what a call is. Any call may return -ENOSYS (there is none of that
 * number) or -ERANGE (an argument is larger than is allowed). */
#ifndef {guard}
#define {guard}

#define AMALGAM_{name.removesuffix("_table").upper()}S_VERSION {api["version"]}

enum amalgam_{name.removesuffix("_table")} {{
{_numbers(api, "AMALGAM")}    AMALGAM_{name.removesuffix("_table").upper()}S_END
}};

{_errors() if table.prefix == FIRST else ""}{_enums(api, "amalgam")}{_CALL if table.prefix == FIRST else ""}{"".join(_stub(c) for c in api["calls"])}
#endif
"""


_CALL = """
/* A value of 64 bits as two arguments, the last of a call: both halves where a register has 32 bits, else itself and
 * nothing. */
#if UINTPTR_MAX > UINT32_MAX
#define AMALGAM_WIDE(value) (value), 0
#else
#define AMALGAM_WIDE(value) (uintptr_t)(value), (uintptr_t)((value) >> 32)
#endif

static inline int64_t amalgam_call(uintptr_t number, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d);
"""


def _errors() -> str:
    """Of all tables."""
    numbers = forms.error_numbers()
    named = {name for table in tables() for c in load(table)["calls"] for name in c.get("errors", {})}
    listed = "".join(f"    AMALGAM_{name} = {numbers[name]},\n" for name in sorted({*ALWAYS, *named}, key=numbers.__getitem__))
    return f"""/* The kernel's errors, negated in a result; those of the C library's <errno.h> have other numbers. */
enum amalgam_error {{
{listed}}};

"""


def _allowed(arg: dict) -> str:
    if "of" in arg:
        return f"{arg['name']}: " + ", ".join(f"{i} {word}" for i, word in enumerate(arg["of"])) + f"; {arg['text']}"
    limit = largest(arg)
    bound = f", at most {limit}" if limit is not None and limit < 0xFFFFFFFF else ""
    return f"{arg['name']}: {arg['text']}{bound}"


def manual(api: dict, text: str) -> str:
    """The page of its manual, which is `text` so far."""
    out = "| number | call | purpose, arguments | result |\n|---|---|---|---|\n"
    for call in api["calls"]:
        names = ", ".join(a["name"] for a in call["args"])
        does = " ".join(call["text"].split()) + "".join(f" *{_allowed(a)}.*" for a in call["args"])
        result = "does not return" if call.get("ends") else forms.results(call)
        out += (
            f"| {api['base'] + call['number']:#x} | `{call['name']}({names})`{', fast' if call.get('fast') else ''} | {does} | {result} |\n"
        )
    return forms.replaced(api["table"].path(api["table"].manual), api["table"].source, out, text)
