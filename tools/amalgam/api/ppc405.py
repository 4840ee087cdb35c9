# SPDX-License-Identifier: MIT
"""The ppc405 half of generate.py: tables for a kernel that counts bytes, stubs for guests, its chapter of the manual."""

from __future__ import annotations

from amalgam.api.tables import ApiError, check_errors

REGISTERS = ("r3", "r4", "r5")
UNCHECKED = 255  # a limit fits a byte; whoever allows more checks it where it is used


def check(api: dict) -> None:
    calls = api["calls"]
    if [c["number"] for c in calls] != list(range(len(calls))):
        raise ApiError("ppc405: numbers are not 0, 1, 2 ... in the order of the file")
    kinds = ["insn" in c for c in calls]
    if kinds != sorted(kinds, reverse=True):
        raise ApiError("ppc405: calls that stand for instructions come first")
    fields = [c["number"] for c in calls if c.get("field")]
    if fields != list(range(fields[0], fields[0] + len(fields))):
        raise ApiError("ppc405: calls with `field` follow each other")
    for call in calls:
        check_errors(f"ppc405: call {call['name']}", call)
        if len(call["args"]) > len(REGISTERS):
            raise ApiError(f"ppc405: call {call['name']}: at most {len(REGISTERS)} arguments")
        for arg in call["args"]:
            if len([k for k in ("value", "of", "buffer") if k in arg]) != ("insn" not in call):
                raise ApiError(f"ppc405: call {call['name']}: argument {arg['name']} is exactly one of value, of, buffer")


def _limit(arg: dict) -> int:
    if "of" in arg:
        return len(arg["of"]) - 1
    return min(arg["value"]["max"], UNCHECKED) if "value" in arg else UNCHECKED


def _services(api: dict) -> list[dict]:
    return [c for c in api["calls"] if "insn" not in c]


def _enums(api: dict, prefix: str) -> str:
    out = ""
    for call in _services(api):
        for arg in call["args"]:
            if "of" in arg:
                names = ", ".join(f"{prefix}_{call['name']}_{word}".upper() for word in arg["of"])
                out += f"enum {prefix}_{call['name']}_{arg['name']} {{ {names} }};\n"
    return out


def _numbers(api: dict, prefix: str) -> str:
    return "".join(f"#define {prefix}_{c['name'].upper()} {api['base'] + c['number']}\n" for c in api["calls"])


def _words(api: dict) -> str:
    return "".join(f"#define API_INSN_{c['name'].upper()} {c['insn']:#010x}\n" for c in api["calls"] if "insn" in c)


def kernel_header(api: dict, license_text: str) -> str:
    fields = [c["number"] for c in api["calls"] if c.get("field")]
    instructions = [c for c in api["calls"] if "insn" in c]
    out = f"""{license_text}/*
 * Decode and invoke are separate: arch/ppc405/entry/syscall_hypercall.S checks the first two arguments against `max` of the
 * table, then runs the service. A limit of {UNCHECKED} is checked by the service itself.
 */
#ifndef GENERATED_API_CALLS_H
#define GENERATED_API_CALLS_H

#define API_VERSION {api["version"]}
{_numbers(api, "API")}#define API_SERVICES {len(instructions)} /* calls below stand for an instruction */
#define API_CALLS {len(api["calls"])}
#define API_FIELD_FIRST {fields[0]} /* calls whose r3 is the number of an SPR or DCR */
#define API_FIELDS {len(fields)}

/* the instructions that they stand for */
{_words(api)}
#ifndef __ASSEMBLER__
#include <types.h>

{_enums(api, "api")}
{api["caller"]};

"""
    for call in _services(api):
        names = [a["name"] for a in call["args"]] + [f"unused{i}" for i in range(3)]
        out += f"s32 api_{call['name']}({api['caller']} *caller, u32 {names[0]}, u32 {names[1]}, u32 {names[2]});\n"
    out += "\n#define API_SERVICE_TABLE                                                                          \\\n    { \\\n"
    for call in _services(api):
        limits = [_limit(a) for a in call["args"]] + [UNCHECKED] * 4
        out += f"        {{ api_{call['name']}, {{ {', '.join(str(v) for v in limits[:4])} }} }}, \\\n"
    return out + "    }\n#endif\n\n#endif\n"


def guest_header(api: dict, license_text: str) -> str:
    out = f"""{license_text}/* Hypercalls for privileged code of a guest; numbers also for assembly. docs/hypercalls.md is the manual. */
#ifndef AMALGAM_CALLS_H
#define AMALGAM_CALLS_H

#define AMALGAM_API_VERSION {api["version"]}
{_numbers(api, "AMALGAM")}
#ifndef __ASSEMBLER__
#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

{_enums(api, "amalgam")}
/* Returns what the call returns: -1 to -4095 are -errno. */
static inline int32_t amalgam_call(uint32_t number, uint32_t a0, uint32_t a1, uint32_t a2)
{{
    register uint32_t r11 __asm__("r11") = number;
    register uint32_t r3 __asm__("r3") = a0;
    register uint32_t r4 __asm__("r4") = a1;
    register uint32_t r5 __asm__("r5") = a2;
    __asm__ volatile("sc"
                     : "+r"(r11), "+r"(r3), "+r"(r4), "+r"(r5)
                     :
                     : "memory", "r0", "r6", "r7", "r8", "r9", "r10", "r12", "ctr", "xer", "cr0");
    return (int32_t)r3;
}}
"""
    for call in api["calls"]:
        if call["returns"] == "not":
            continue  # leaves the C function it would be in
        parameters = ", ".join(f"uint32_t {a['name']}" for a in call["args"]) or "void"
        values = [a["name"] for a in call["args"]] + ["0"] * (3 - len(call["args"]))
        out += f"""
static inline int32_t amalgam_{call["name"]}({parameters})
{{
    return amalgam_call(AMALGAM_{call["name"].upper()}, {", ".join(values)});
}}
"""
    return out + "#endif\n\n#endif\n"


def _allowed(arg: dict) -> str:
    if "of" in arg:
        return ", ".join(f"{i} {word}" for i, word in enumerate(arg["of"]))
    if "buffer" in arg:
        return f"{arg['buffer'].get('length', arg['buffer'].get('size'))} bytes of own memory"
    return f"0 to {arg['value']['max']}"


def manual(api: dict) -> str:
    out = f"""
# Hypercalls of the ppc405 shape

A VM with `hypercalls: true` in the system file calls Amalgam with `sc` in (virtual) privileged mode; in problem mode, or
without that right, `sc` is the guest's own system call. The number is in `r11`, arguments in {", ".join(f"`{r}`" for r in REGISTERS)},
the result in `r3`; as in ePAPR, r0, r4-r12, CTR, XER and CR0 may change. From -1 to -4095 a result is `-errno`. This is
version {api["version"]} of the interface. Any service may return `-ENOSYS` (-38), `-ERANGE` (-34) and, for buffers, `-EFAULT` (-14),
as above; a refused call has changed nothing. tests/system/ppc405/test_calls_ppc405.py makes every call on the board, rightly and wrongly:
`test_each_service_answers_as_its_manual_says`, `test_what_is_no_call_is_said_to_be_none`, `test_without_the_right_sc_is_the_guests_own_system_call`;
how tunnels are rung and withdrawn, plans change and a monitor stops others has tests there, too.

## Calls that stand for one instruction

Each does what its instruction does to the virtual machine, without the cost of finding out which instruction trapped,
and keeps all registers but the result. Pre-virtualized code uses them ([previrtualization.md](previrtualization.md); `test_a_call_that_stands_for_an_instruction_does_what_it_does`,
`test_it_does_what_the_instructions_do`).

| number | call | arguments | result | purpose |
|---|---|---|---|---|
"""
    for call in (c for c in api["calls"] if "insn" in c):
        args = "; ".join(f"`{r}` {a['name']}: {a['text']}" for r, a in zip(REGISTERS, call["args"], strict=False))
        out += f"| {call['number']} | {call['name']} | {args or 'none'} | {call['returns']} | {call['text'].rstrip('.')} |\n"
    out += "\n## Services\n\n| number | call | purpose |\n|---|---|---|\n"
    for call in _services(api):
        out += f"| {call['number']} | {call['name']} | {' '.join(call['text'].split()).split('. ')[0].rstrip('.')} |\n"
    for call in _services(api):
        out += f"\n### ppc405: {call['name']}\n\n{' '.join(call['text'].split())}\n\n"
        if call["args"]:
            out += "| register | argument | allowed | meaning |\n|---|---|---|---|\n"
        for register, arg in zip(REGISTERS, call["args"], strict=False):
            out += f"| `{register}` | {arg['name']} | {_allowed(arg)} | {arg.get('text', 'which')} |\n"
        out += f"\nReturns {call['returns']}.\n"
        if call.get("errors"):
            out += "\n" + "\n".join(f"- `-{name}`: {text}" for name, text in call["errors"].items()) + "\n"
    return out
