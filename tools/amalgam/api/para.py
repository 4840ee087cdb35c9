# SPDX-License-Identifier: MIT
"""The part of generate.py for guests in ring 1 (kernel/api/para.yaml): numbers and words for both sides, stubs, their chapter of the manual."""

from __future__ import annotations

from pathlib import Path

from amalgam.api import tables
from amalgam.api.tables import ApiError

SOURCE = tables.ROOT / "kernel/api/para.yaml"
REGISTERS = ("ebx", "ecx", "edx")
CALL_KEYS = {"name", "number", "text", "returns", "args", "errors", "cores", "chip"}
ARG_KEYS = {"name", "value", "address", "text"}
LICENSE = "/* SPDX-License-Identifier: MIT */\n/* Made from kernel/api/para.yaml by tools/amalgam/api/generate.py: edit that. */\n"


def load(path: Path = SOURCE) -> dict:
    api = tables.load(path, CALL_KEYS, ARG_KEYS, len(REGISTERS))
    if [c["number"] for c in api["calls"]] != list(range(len(api["calls"]))):
        raise ApiError(f"{path.name}: numbers are not 0, 1, 2 ...")
    for call in api["calls"]:
        for arg in call["args"]:
            if ("value" in arg) == ("address" in arg):
                raise ApiError(f"{path.name}: call {call['name']}: argument {arg['name']} is a value or an address")
    return api


def _numbers(api: dict, prefix: str) -> str:
    out = "".join(f"#define {prefix}_{c['name'].upper()} {api['base'] + c['number']:#x}\n" for c in api["calls"])
    words = "".join(f"#define {prefix}_SHARE_{w['name'].upper()} {w['at']:#x}\n" for w in api["words"])
    stand_ins = "".join(f"#define {prefix}_FOR_{s['name'].upper()} {s['opcode']:#x}\n" for s in api["stand_ins"])
    return f"""{out}{stand_ins if prefix == "PARA" else ""}#define {prefix}_VECTOR {api["vector"]:#x}
#define {prefix}_CPUID {api["cpuid"]:#x}
#define {prefix}_STRONG_AT {api["strong"]:#x}
#define {prefix}_CHIP_AT {api["chip"]:#x}
#define {prefix}_SHARE {api["page"]:#x} /* a page; in it: */
{words}"""


def kernel_header(api: dict) -> str:
    limits = ""
    own = [
        c for c in api["calls"] if not (c.get("cores") or c.get("chip"))
    ]  # those behind are vm/para/strong.c's, which compares, and chip/guest.c's
    for call in own:
        values = [f"{a['value']['max']:#x}" if "value" in a else "0xffffffff" for a in call["args"]]
        values += ["0xffffffff"] * (len(REGISTERS) - len(values))
        limits += f"        {{ {', '.join(values)} }}, /* {call['name']} */ \\\n"
    return f"""{LICENSE}#ifndef GENERATED_PARA_CALLS_H
#define GENERATED_PARA_CALLS_H

{_numbers(api, "PARA")}#define PARA_BASE {api["base"]:#x}
#define PARA_CALLS {len(own)}
/* The largest value of each argument that is one. */
#define PARA_LIMITS \\
    {{ \\
{limits}    }}

#endif
"""


def guest_header(api: dict) -> str:
    out = f"""{LICENSE}/* Calls of a kernel in ring 1; numbers also for assembly. docs/hypercalls.md is the manual. */
#ifndef AMALGAM_CALLS_H
#define AMALGAM_CALLS_H

{_numbers(api, "AMALGAM")}
#ifndef __ASSEMBLER__
#define AMALGAM_SHARED(word) (*(volatile unsigned long *)(AMALGAM_SHARE + (word)))

/* Returns what the call returns: -1 to -4095 are -errno. */
static __inline__ __attribute__((always_inline)) long amalgam_call(unsigned long number, unsigned long a, unsigned long b, unsigned long c)
{{
    __asm__ volatile("int %4" : "+a"(number) : "b"(a), "c"(b), "d"(c), "i"(AMALGAM_VECTOR) : "memory");
    return (long)number;
}}
"""
    for call in api["calls"]:
        if str(call["returns"]).startswith("not:"):
            continue  # leaves the C function it would be in
        parameters = ", ".join(f"unsigned long {a['name']}" for a in call["args"]) or "void"
        values = [a["name"] for a in call["args"]] + ["0"] * (len(REGISTERS) - len(call["args"]))
        out += f"""
static __inline__ __attribute__((always_inline)) long amalgam_{call["name"]}({parameters})
{{
    return amalgam_call(AMALGAM_{call["name"].upper()}, {", ".join(values)});
}}
"""
    return out + "#endif\n\n#endif\n"


def _allowed(arg: dict) -> str:
    return f"{arg['address']['length']} bytes of own memory" if "address" in arg else f"0 to {arg['value']['max']:#x}"


def manual(api: dict) -> str:
    out = f"""
# Guests in ring 1

The kernel of a guest without hardware that helps (shape i586-linux, [i586-linux.md](i586-linux.md)) calls with `int {api["vector"]:#x}` in ring 1: number in `eax`,
arguments in {", ".join(f"`{r}`" for r in REGISTERS)}, the result in `eax`; from -1 to -4095 it is `-errno`, and all other registers are kept. Any call may return `-ENOSYS` (-38) and
`-ERANGE` (-34); a refused call has changed nothing. In ring 3 it is a general protection fault. `int {api["cpuid"]:#x}` stands for `cpuid`.
guests/ring1/calls.c makes every call, rightly and wrongly (`test_each_call_answers_as_its_manual_says_and_no_argument_is_believed`). The page at `{api["page"]:#x}` of every address space is shared:

| word at | name | meaning |
|---|---|---|
"""
    out += "".join(f"| {w['at']:#x} | {w['name']} | {w['text']} |\n" for w in api["words"])
    out += "\n| number | call | arguments | result | purpose |\n|---|---|---|---|---|\n"
    for call in api["calls"]:
        args = "; ".join(f"`{r}` {a['name']}, {_allowed(a)}: {a['text']}" for r, a in zip(REGISTERS, call["args"], strict=False))
        text = " ".join(call["text"].split()).rstrip(".")
        out += f"| {api['base'] + call['number']:#x} | {call['name']} | {args or 'none'} | {tables.results(call)} | {text} |\n"
    return out
