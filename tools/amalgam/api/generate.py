#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make what crosses the privilege boundary from the tables of kernel/api: calls.yaml (guests), para.yaml (those in ring 1), attach.yaml (the
Linux above), process.yaml and those of its parts (processes).

generate.py kernel|guest|manual OUTPUT [TABLE]   write OUTPUT (only when its content changes); TABLE: pc (default), ppc405, para, process or a part's name
generate.py dispatch OUTPUT [kept] [remote] TABLE...   the kernel's dispatcher of the calls of these tables (both words: dispatch.py)
generate.py write                                bring those that are in the repository up to date: docs and the headers of programs
generate.py check FILE                           fail if FILE is not the current manual (of all shapes)
"""

import sys
from collections.abc import Callable
from pathlib import Path

import yaml

if not __package__:  # run by a Makefile, with any Python that has yaml
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from amalgam.api import attach, dispatch, para, ppc405, process, tables
from amalgam.api.tables import ROOT, ApiError

SOURCE = ROOT / "kernel/api/calls.yaml"
REGISTERS = ("rdi", "rsi", "rdx", "r10")
LICENSE = "/* SPDX-License-Identifier: MIT */\n/* Made from kernel/api/calls.yaml by tools/amalgam/api/generate.py: edit that. */\n"


def load(path: Path = SOURCE) -> dict:
    api = yaml.safe_load(path.read_text())
    numbers = set()
    for call in api["calls"]:
        where = f"{path.name}: call {call['name']}"
        tables.check_errors(where, call)
        if call["number"] in numbers or not 0 <= call["number"] < 0x10000:
            raise ApiError(f"{where}: number {call['number']} is taken or outside 0..0xffff")
        numbers.add(call["number"])
        if len(call["args"]) > len(REGISTERS):
            raise ApiError(f"{where}: at most {len(REGISTERS)} arguments")
        names = [a["name"] for a in call["args"]]
        for arg in call["args"]:
            if len([k for k in ("value", "of", "buffer") if k in arg]) != 1:
                raise ApiError(f"{where}: argument {arg['name']} is exactly one of value, of, buffer")
            if "buffer" in arg and arg["buffer"]["length"] not in names:
                raise ApiError(f"{where}: the length of {arg['name']} is no argument")
    if numbers != set(range(len(numbers))):
        raise ApiError(f"{path.name}: numbers are not 0..{len(numbers) - 1} without a gap")
    api["calls"].sort(key=lambda c: c["number"])
    ppc405.check(api["ppc405"])
    tables.check_ranges((api, api["ppc405"], attach.load(), para.load(), *map(process.load, process.tables())))
    return api


def _limit(arg) -> int:
    return len(arg["of"]) - 1 if "of" in arg else arg["value"]["max"]


def _enums(api, prefix: str) -> str:
    out = ""
    for call in api["calls"]:
        for arg in call["args"]:
            if "of" in arg:
                stem = f"{prefix}_{call['name']}".upper()
                names = ", ".join(f"{stem}_{word.upper()}" for word in arg["of"])
                out += f"enum {prefix}_{call['name']}_{arg['name']} {{ {names} }};\n"
    return out


def kernel_header(api) -> str:
    caller = api["caller"]
    names = ",\n".join(f"    API_{c['name'].upper()} = {c['number']}" for c in api["calls"])
    out = f"""{LICENSE}/*
 * Decode and invoke are separate: api_decode() checks all that can be checked without
 * the call's own state, then calls api_NAME(), which vm/hypercall.c defines. Guest-
 * physical buffers arrive there as pointers that are good for their whole length.
 */
#ifndef GENERATED_API_CALLS_H
#define GENERATED_API_CALLS_H

#include <errors.h>
#include <types.h>
#include <vm/guest_memory.h>

#define API_VERSION {api["version"]}
#define API_BASE {api["base"]:#x}u
enum api_call {{
{names},
    API_CALLS
}};
{_enums(api, "api")}
{caller};

"""
    for call in api["calls"]:
        args = "".join(f", {'u8 *' if 'buffer' in a else 'u32 '}{a['name']}" for a in call["args"])
        out += f"s64 api_{call['name']}({caller} *caller{args});\n"
    out += f"""
/* Run call `number` (rax without API_BASE) for `caller`, whose RAM is `memory`; a[] = rdi, rsi, rdx, r10. */
static inline s64 api_decode({caller} *caller, const struct guest_memory *memory, u32 number, const u64 a[4])
{{
    switch (number) {{
"""
    for call in api["calls"]:
        index = {a["name"]: i for i, a in enumerate(call["args"])}
        buffers = [a for a in call["args"] if "buffer" in a]
        checks = [
            f"        if (a[{index[a['name']]}] > {_limit(a)})\n            return -ERANGE;\n" for a in call["args"] if "buffer" not in a
        ]
        passed = "".join(f", {a['name']}" if "buffer" in a else f", (u32)a[{index[a['name']]}]" for a in call["args"])
        out += f"    case API_{call['name'].upper()}: {{\n" + "".join(checks)
        for arg in buffers:
            length = index[arg["buffer"]["length"]]
            out += f"        u8 *{arg['name']} = {api['memory']}(memory, a[{index[arg['name']]}], a[{length}]);\n"
            out += f"        if (!{arg['name']})\n            return -EFAULT;\n"
        out += f"        return api_{call['name']}(caller{passed});\n    }}\n"
    return out + "    }\n    (void)memory;\n    (void)a;\n    return -ENOSYS;\n}\n\n#endif\n"


def guest_header(api) -> str:
    numbers = "".join(f"#define AMALGAM_{c['name'].upper()} {api['base'] + c['number']:#x}u\n" for c in api["calls"])
    out = f"""{LICENSE}/* Hypercalls for kernel code of a guest: CPL 0, 64-bit mode. docs/hypercalls.md is the manual. */
#ifndef AMALGAM_CALLS_H
#define AMALGAM_CALLS_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

#define AMALGAM_API_VERSION {api["version"]}
{numbers}
{_enums(api, "amalgam")}
/* Returns what the call returns: negative numbers are -errno. */
static inline int64_t amalgam_call(uint64_t number, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3)
{{
    register uint64_t r10 __asm__("r10") = a3;
    int64_t result;
    __asm__ volatile("vmmcall" : "=a"(result) : "a"(number), "D"(a0), "S"(a1), "d"(a2), "r"(r10) : "memory");
    return result;
}}
"""
    for call in api["calls"]:
        parameters = ", ".join(f"uint64_t {a['name']}" for a in call["args"]) or "void"
        values = [a["name"] for a in call["args"]] + ["0"] * (4 - len(call["args"]))
        out += f"""
static inline int64_t amalgam_{call["name"]}({parameters})
{{
    return amalgam_call(AMALGAM_{call["name"].upper()}, {", ".join(values)});
}}
"""
    return out + "\n#endif\n"


def manual(api) -> str:
    out = f"""<!-- SPDX-License-Identifier: MIT -->
<!-- Made from kernel/api/calls.yaml by tools/amalgam/api/generate.py: edit that, then `python3 tools/amalgam/api/generate.py write`. -->
# Hypercalls

A guest whose domain has `hypercalls: true` in the system file calls Amalgam with `VMMCALL` (on a processor of Intel with `VMCALL`) in 64-bit mode at CPL 0:
the number in `rax`, arguments in {", ".join(f"`{r}`" for r in REGISTERS)}, the result in `rax`. A negative result is
`-errno` with Linux' numbers. All other registers keep their values. This is version {api["version"]} of the interface. In a domain without that right
`VMMCALL` is an undefined instruction.

Arguments are checked before anything happens, and a refused call has changed nothing. Any call may return

| error | because |
|---|---|
| `-ENOSYS` (-38) | there is no such call |
| `-EPERM` (-1) | the caller is not at CPL 0 |
| `-ERANGE` (-34) | an argument is larger than the manual allows |
| `-EFAULT` (-14) | a buffer does not lie wholly in the caller's own memory |

Shown by `test_kernel_decoder_checks_every_argument`; each call by tests/unit/test_hypercall.c; rights and registers by `a_call_from_above_ring_0_is_refused`,
`without_the_right_a_call_is_no_instruction`, `a_call_changes_rax_and_no_other_register`; random calls from all rings by kinds `hypercall` and `user` of
test_hostile.py ([isolation.md](isolation.md)).

| number | call | purpose |
|---|---|---|
"""
    for call in api["calls"]:
        out += f"| `{api['base'] + call['number']:#x}` | [{call['name']}](#{call['name']}) | {call['text'].split('. ')[0].strip().rstrip('.')} |\n"
    for call in api["calls"]:
        out += f"\n## {call['name']}\n\n{' '.join(call['text'].split())}\n\n"
        if call["args"]:
            out += "| register | argument | allowed | meaning |\n|---|---|---|---|\n"
        for register, arg in zip(REGISTERS, call["args"], strict=False):
            if "of" in arg:
                allowed = ", ".join(f"{i} {word}" for i, word in enumerate(arg["of"]))
            else:
                allowed = f"{arg['buffer']['length']} bytes of own RAM" if "buffer" in arg else f"0 to {arg['value']['max']}"
            out += f"| `{register}` | {arg['name']} | {allowed} | {arg['text']} |\n"
        out += f"\nReturns {call['returns']}.\n"
        if call.get("errors"):
            out += "\n" + "\n".join(f"- `-{name}`: {text}" for name, text in call["errors"].items()) + "\n"
    return out + ppc405.manual(api["ppc405"]) + para.manual(para.load())


MAKERS = {
    "pc": {"kernel": kernel_header, "guest": guest_header, "manual": manual},
    "ppc405": {
        "kernel": lambda api: ppc405.kernel_header(api["ppc405"], LICENSE),
        "guest": lambda api: ppc405.guest_header(api["ppc405"], LICENSE),
        "manual": manual,
    },
    "para": {
        "kernel": lambda _api: para.kernel_header(para.load()),
        "guest": lambda _api: para.guest_header(para.load()),
        "manual": manual,
    },
}


def makers(table: str) -> dict[str, Callable[[dict], str]]:
    """What can be made of a table; nothing: there is none of that name."""
    if table in {t.prefix for t in process.tables()}:
        return {"kernel": lambda _api: process.kernel_header(process.load(process.table_named(table)))}
    return MAKERS.get(table, {})


def kept() -> dict[Path, str]:
    """The files of the repository that are made from the tables, as they are to be."""
    linux = attach.load()
    processes = [(table, process.load(table)) for table in process.tables()]
    pages: dict[Path, str] = {}
    for table, api in processes:
        page = table.path(table.manual)
        pages[page] = process.manual(api, pages.get(page) or page.read_text(encoding="utf-8"))
    return {
        **{table.path(table.header): process.user_header(api) for table, api in processes},
        **pages,
        ROOT / "docs/hypercalls.md": manual(load()),
        attach.HEADER: attach.header(linux),
        attach.MANUAL: attach.manual(linux),
    }


def write(path: Path, text: str) -> None:
    """Only when it changes, so that what is made from it is not made again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def write_dispatcher(path: Path, words: list[str]) -> int:
    """`words`: the names of tables, and `kept` and `remote` before them."""
    kept = words[:1] == ["kept"]
    remote = words[kept : kept + 1] == ["remote"]
    apis = [process.load(process.table_named(name)) for name in words[kept + remote :]]
    write(path, dispatch.dispatcher(apis, kept, remote))
    return 0


def main(arguments: list[str]) -> int:
    try:
        return made(arguments)
    except ApiError as error:
        print(f"api: {error}", file=sys.stderr)
        return 1


def made(arguments: list[str]) -> int:
    if arguments[:1] == ["dispatch"]:
        return write_dispatcher(Path(arguments[1]), arguments[2:])
    shape = arguments[2] if len(arguments) == 3 else "pc"
    if arguments == ["write"]:
        for path, text in kept().items():
            write(path, text)
        return 0
    if len(arguments) not in (2, 3) or arguments[0] not in (*(known := makers(shape)), *(["check"] if known else [])):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    kind, path = arguments[0], Path(arguments[1])
    api = load()
    if kind == "check":
        if path.read_text() != manual(api):
            print(f"api: {path} is not current; run: python3 tools/amalgam/api/generate.py write", file=sys.stderr)
            return 1
        return 0
    write(path, known[kind](api))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
