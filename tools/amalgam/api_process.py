# SPDX-License-Identifier: MIT
"""The processes' half of api.py: the kernel's decoder, the header of programs and their table in docs/programs.md."""

from __future__ import annotations

import textwrap
from pathlib import Path

from amalgam import api_tables
from amalgam.api_tables import ApiError

SOURCE = api_tables.ROOT / "kernel/api/process.yaml"
HEADER = api_tables.ROOT / "user/include/amalgam/call_table.h"
MANUAL = api_tables.ROOT / "docs/programs.md"
REGISTERS = 4
COLUMNS = 120  # of .clang-format
LICENSE = "/* SPDX-License-Identifier: MIT */\n/* Made from kernel/api/process.yaml by tools/amalgam/api.py: edit that. */\n"
CALL_KEYS = {"name", "number", "fast", "rare", "ends", "text", "returns", "type", "args", "errors"}
ARG_KEYS = {"name", "value", "of", "address", "buffer", "type", "text"}
ALWAYS = ("ENOSYS", "ERANGE")  # what any call may return


def load(path: Path = SOURCE) -> dict:
    api = api_tables.load(path, CALL_KEYS, ARG_KEYS, REGISTERS)
    for call in api["calls"]:
        where = f"{path.name}: call {call['name']}"
        if call.get("fast") and call.get("ends"):
            raise ApiError(f"{where}: a fast call returns")
        if call.get("fast") and call.get("rare"):
            raise ApiError(f"{where}: a call is fast or rare")
        names = [a["name"] for a in call["args"]]
        for arg in call["args"]:
            if len([k for k in ("value", "of", "address", "buffer") if k in arg]) != 1:
                raise ApiError(f"{where}: argument {arg['name']} is exactly one of value, of, address, buffer")
            if "buffer" in arg and arg["buffer"]["length"] not in names:
                raise ApiError(f"{where}: the length of {arg['name']} is no argument")
            if "of" not in arg and "type" not in arg:
                raise ApiError(f"{where}: argument {arg['name']} has no type in programs")
    return api


def _limit(arg: dict) -> int | None:
    """The largest value that reaches the call; None: any does."""
    return len(arg["of"]) - 1 if "of" in arg else arg.get("value", {}).get("max")


def _kernel_type(arg: dict) -> str:
    limit = _limit(arg)
    return "u64" if limit is None or limit >> 32 else "u32"


def signature(api: dict, call: dict) -> str:
    """The kernel's function of one call."""
    args = "".join(f", {_kernel_type(a)} {a['name']}" for a in call["args"])
    return f"s64 process_call_{call['name']}({'struct user *u' if call.get('fast') else api['caller'] + ' *caller'}{args})"


def _case(call: dict) -> str:
    fast = call.get("fast")
    checks = [f"user_argument(u, {i}) > {_limit(arg):#x}u" for i, arg in enumerate(call["args"]) if _limit(arg) is not None]
    passed = "".join(f", {'(u32)' if _kernel_type(a) == 'u32' else ''}user_argument(u, {i})" for i, a in enumerate(call["args"]))
    made = f"process_call_{call['name']}({'u' if fast else 'caller'}{passed})"
    made = f"{' || '.join(checks)} ? -ERANGE : {made}" if checks else made
    return f"    case PROCESS_CALL_{call['name'].upper()}: " + (f"user_return(u, {made}); return true;\n" if fast else f"return {made};\n")


def _enums(api: dict, prefix: str) -> str:
    out = ""
    for call in api["calls"]:
        for arg in call["args"]:
            if "of" in arg:
                names = ", ".join(f"{prefix}_{call['name']}_{word}".upper() for word in arg["of"])
                out += f"enum {prefix}_{call['name']} {{ {names} }};\n"
    return out


def _numbers(api: dict, prefix: str) -> str:
    return "".join(f"    {prefix}_{c['name'].upper()} = {api['base'] + c['number']:#x},\n" for c in api["calls"])


def kernel_header(api: dict) -> str:
    caller = api["caller"]
    fast = [c for c in api["calls"] if c.get("fast")]
    slow = [c for c in api["calls"] if not c.get("fast")]
    often, rare = [c for c in slow if not c.get("rare")], [c for c in slow if c.get("rare")]
    ends = " || ".join(f"number == PROCESS_CALL_{c['name'].upper()}" for c in slow if c.get("ends"))
    prototypes = "".join(f"{signature(api, c)};\n" for c in api["calls"])
    return f"""{LICENSE}/*
 * Decode and invoke are separate: what can be checked without the call's own state is checked here, then
 * process_call_NAME() runs, which process/ defines. Memory of the caller is reached through {api["memory"]}.
 */
#ifndef GENERATED_PROCESS_CALLS_H
#define GENERATED_PROCESS_CALLS_H

#include <errors.h>
#include <hal/user.h>
#include <types.h>

#define PROCESS_CALLS_VERSION {api["version"]}
enum process_call_number {{
{_numbers(api, "PROCESS_CALL")}}};
{_enums(api, "process_call")}
{caller};

{prototypes}
/* Settle a call that is fast, with interrupts off: false, it is none. */
static inline bool process_decode_fast(struct user *u)
{{
    switch (user_number(u)) {{
{"".join(_case(c) for c in fast)}    default: return false;
    }}
}}

static __attribute__((noinline)) s64 process_decode_rare({caller} *caller, const struct user *u)
{{
    switch (user_number(u)) {{
{"".join(_case(c) for c in rare)}    default: return -ENOSYS;
    }}
}}

/* Run any other call of `caller`; its result. */
static inline s64 process_decode({caller} *caller, const struct user *u)
{{
    switch (user_number(u)) {{
{"".join(_case(c) for c in often)}    default: return process_decode_rare(caller, u);
    }}
}}

/* The thread that makes it does not go on behind it. */
static inline bool process_call_ends(u64 number) {{ return {ends}; }}

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
    values = [f"(uintptr_t){a['name']}" if "*" in a.get("type", "") else f"(uint64_t){a['name']}" for a in call["args"]]
    made = f"amalgam_call(AMALGAM_{call['name'].upper()}, {', '.join(values + ['0'] * (REGISTERS - len(values)))})"
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
    numbers = api_tables.error_numbers()
    errors = sorted({*ALWAYS, *(name for c in api["calls"] for name in c.get("errors", {}))}, key=numbers.__getitem__)
    listed = "".join(f"    AMALGAM_{name} = {numbers[name]},\n" for name in errors)
    return f"""{LICENSE}/* Included by amalgam/calls.h, which says what a call is. Any call may return -ENOSYS (there is none of that number) or
 * -ERANGE (an argument is larger than is allowed). */
#ifndef AMALGAM_CALL_TABLE_H
#define AMALGAM_CALL_TABLE_H

#define AMALGAM_CALLS_VERSION {api["version"]}

enum amalgam_call {{
{_numbers(api, "AMALGAM")}    AMALGAM_CALLS_END
}};

/* The kernel's errors, negated in a result; those of the C library's <errno.h> have other numbers. */
enum amalgam_error {{
{listed}}};

{_enums(api, "amalgam")}
static inline int64_t amalgam_call(enum amalgam_call number, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
{"".join(_stub(c) for c in api["calls"])}
#endif
"""


def _allowed(arg: dict) -> str:
    if "of" in arg:
        return f"{arg['name']}: " + ", ".join(f"{i} {word}" for i, word in enumerate(arg["of"])) + f"; {arg['text']}"
    limit = _limit(arg)
    bound = f", at most {limit}" if limit is not None and limit < 0xFFFFFFFF else ""
    return f"{arg['name']}: {arg['text']}{bound}"


def manual(api: dict) -> str:
    out = "| number | call | purpose, arguments | result |\n|---|---|---|---|\n"
    for call in api["calls"]:
        names = ", ".join(a["name"] for a in call["args"])
        does = " ".join(call["text"].split()) + "".join(f" *{_allowed(a)}.*" for a in call["args"])
        result = "does not return" if call.get("ends") else api_tables.results(call)
        out += (
            f"| {api['base'] + call['number']:#x} | `{call['name']}({names})`{', fast' if call.get('fast') else ''} | {does} | {result} |\n"
        )
    return api_tables.replaced(MANUAL, "kernel/api/process.yaml", out)
