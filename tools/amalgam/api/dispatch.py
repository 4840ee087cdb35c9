# SPDX-License-Identifier: MIT
"""The kernel's dispatcher of processes' calls: one for each shape, from the tables of the parts that it links.

A number is looked for in three places, one after the other, and is in one of them: fast, blocking, other. So each is compared once. Where
the way in keeps most registers (`kept`: arch-kept of arch.mk) fast calls have a file of their own, process/fast_kept.c, and those that
are `aside` are the first of the blocking ones."""

from __future__ import annotations

from amalgam.api.process import Table, is_wide, kernel_type, largest
from amalgam.api.tables import ApiError

KEPT = "process"  # whose fast calls without arguments are those of process/fast_kept.c
Call = tuple[Table, dict]

_OUT_OF_LINE = "static __attribute__((noinline, unused))"
_USER = "    const struct user *u = &t->user;\n"


def _taken(it: dict) -> list[str]:
    """Its arguments, as the caller's registers have them."""
    return [f"user_wide_argument(u, {i})" if is_wide(a) else f"user_argument(u, {i})" for i, a in enumerate(it["args"])]


def _reached(call: Call) -> str:
    """The call's function, called with arguments that were checked."""
    table, it = call
    passed = "".join(f", {'(u32)' if kernel_type(a) == 'u32' else ''}{t}" for t, a in zip(_taken(it), it["args"], strict=True))
    return f"{table.prefix}_call_{it['name']}({'u' if it.get('fast') else 't'}{passed})"


def _made(call: Call) -> str:
    """The call's result, after what can be checked without its own state."""
    it = call[1]
    checks = [f"{t} > {largest(a):#x}u" for t, a in zip(_taken(it), it["args"], strict=True) if largest(a) is not None]
    made = f"remote_{'' if it.get('blocks') else 'long_'}call(t, remote_{it['name']})" if it.get("remote") else _reached(call)
    return f"{' || '.join(checks)} ? -ERANGE : {made}" if checks else made


def _remote(call: Call) -> str:
    """The call's function as that of a request, which finds the call's arguments where they were checked."""
    it, here = call[1], _reached(call)
    does = (
        f"    irq_disable();\n    s64 result = {here};\n    irq_enable();\n    return result;\n"
        if it.get("blocks")
        else f"    return {here};\n"
    )
    return f"""
static s64 remote_{it["name"]}(struct request *r)
{{
    struct process_thread *t = remote_thread(r);
{_USER if it["args"] else ""}{does}}}
"""


def _switch(calls: list[Call], form: str, otherwise: str) -> str:
    """`form` says what becomes of the result."""
    cases = "".join(f"    case {table.numbers}_{c['name'].upper()}: {form.format(_made((table, c)))}\n" for table, c in calls)
    return f"    switch (user_number(u)) {{\n{cases}    default: {otherwise}\n    }}\n"


def _whole(name: str, calls: list[Call], attributes: str = _OUT_OF_LINE) -> str:
    """Out of line, so that each call is the last thing that it does, and others keep less in registers."""
    return f"\n{attributes} s64 {name}(struct process_thread *t)\n{{\n{_USER}{_switch(calls, 'return {};', 'return -ENOSYS;')}}}\n"


def _fast(calls: list[Call]) -> str:
    return f"""
/* Settle a call that is fast, with interrupts off: false, it is none. */
static inline bool dispatch_fast(struct user *u)
{{
{_switch(calls, "user_return(u, {}); return true;", "return false;")}}}
"""


# A table in which a number says where to go: none of these calls is slower because there are many.
_JUMPS = 'static __attribute__((noinline, unused, optimize("jump-tables")))'


def _first(api: dict) -> tuple[str, str]:
    """The function of a table whose numbers are looked for before all others, and the question."""
    name = f"dispatch_{api['table'].prefix}"
    function = _whole(name, [(api["table"], c) for c in api["calls"]], _JUMPS)
    return (
        function,
        f"""    if (likely(user_number(&t->user) - {api["base"]:#x}u <= 0xffff)) {{
        *result = {name}(t);
        return true;
    }}
""",
    )


def _blocking_apart(first: list[dict], calls: list[Call], fast: list[Call]) -> str:
    """Beside other tables or fast calls. Of *result no address is passed out of line, so that the result of a call that is looked for first
    stays in a register."""
    functions, questions = zip(*map(_first, first), strict=True) if first else ((), ())
    clocks = "".join(
        f"    if (user_number(u) == {table.numbers}_{c['name'].upper()}) {{\n"
        f"        *result = {_made((table, c)).replace('(u,', '(&t->user,').replace('(u)', '(&t->user)')};\n        return true;\n    }}\n"
        for table, c in fast
    )
    return f"""{"".join(functions)}
{_OUT_OF_LINE} bool dispatch_blocking_apart(struct process_thread *t, s64 *result)
{{
{_USER}{clocks}{_switch(calls, "*result = {}; return true;", "return false;")}}}

/* Run a call that blocks or wakes, with interrupts off: false, it is none. */
static inline bool dispatch_blocking(struct process_thread *t, s64 *result)
{{
    s64 other;
{"".join(questions)}    if (!dispatch_blocking_apart(t, &other))
        return false;
    *result = other;
    return true;
}}
"""


def _blocking(calls: list[Call]) -> str:
    """Alone. What would make the others keep more in registers is out of line (`aside`)."""
    aside = [c for c in calls if c[1].get("aside")]
    functions = "".join(_whole(f"dispatch_{c['name']}", [(table, c)]) for table, c in aside)
    cases = _switch(calls, "*result = {}; return true;", "return false;")
    for table, c in aside:
        cases = cases.replace(_made((table, c)), f"dispatch_{c['name']}(t)")
    return f"""{functions}
/* Run a call that blocks or wakes, with interrupts off: false, it is none. */
static inline bool dispatch_blocking(struct process_thread *t, s64 *result)
{{
{_USER}{cases}}}
"""


def _other(apis: list[dict]) -> str:
    """Those that are often made are compared first; the rest of each table is out of line behind its range."""
    out, often, ranges = "", [], ""
    for api in apis:
        table = api["table"]
        slow = [c for c in api["calls"] if not c.get("fast") and not c.get("blocks")]
        here = [(table, c) for c in slow if api is apis[0] and not c.get("rare")]
        rest = [(table, c) for c in slow if (table, c) not in here]
        often += here
        if rest:
            out += _whole(f"dispatch_{table.prefix}_other", rest)
            last = max(c["number"] for c in api["calls"])
            ranges += f"    if (user_number(u) - {api['base']:#x}u <= {last:#x}u)\n        return dispatch_{table.prefix}_other(t);\n"
    return f"""{out}
/* Run any other call, with interrupts on. */
static inline s64 dispatch_other(struct process_thread *t)
{{
{_USER}{_switch(often, "return {};", "break;")}{ranges}    return -ENOSYS;
}}
"""


def _ends(calls: list[Call]) -> str:
    ends = " || ".join(f"number == {table.numbers}_{c['name'].upper()}" for table, c in calls if c.get("ends"))
    return f"""
/* The thread that makes it does not go on behind it. */
static inline bool dispatch_ends(u64 number) {{ return {ends or "false"}; }}
"""


def _fault(apis: list[dict]) -> str:
    names = [api["faults"] for api in apis if api.get("faults")]
    return f"""
/* Ask the parts that have pages of their own: returns whether to try the access again. May block; interrupts on, no lock held. */
static inline bool dispatch_fault(struct process_thread *t, u64 at, unsigned access)
{{
    return {" || ".join(f"{name}(t, at, access)" for name in names) or "false"};
}}
"""


def _chosen(api: dict, remote: bool) -> dict:
    """The table, in which no call is remote unless that is chosen."""
    return api if remote else api | {"calls": [{key: value for key, value in c.items() if key != "remote"} for c in api["calls"]]}


def dispatcher(apis: list[dict], kept: bool, remote: bool = False) -> str:
    apis = [_chosen(api, remote) for api in apis]
    first = [api for api in apis if api.get("first")]
    rest = [api for api in apis if api not in first]
    calls = [(api["table"], c) for api in rest for c in api["calls"]]
    fast = [c for c in calls if c[1].get("fast")]
    blocking = [c for c in calls if c[1].get("blocks")]
    sources = ", ".join(api["table"].source for api in apis)
    includes = "".join(f"#include <generated/{api['table'].prefix}_calls.h>\n" for api in apis)
    asides = [c for c in fast if kept and c[1].get("aside")]
    if lost := [c["name"] for table, c in fast if kept and (c["args"] or table.prefix != KEPT) and not c.get("aside")]:
        raise ApiError(
            f"{', '.join(lost)}: a fast call that process/fast_kept.c does not settle has to be aside where the way in keeps registers"
        )
    served = "".join(_remote(call) for call in calls if call[1].get("remote"))
    ways_in = ("" if kept else _fast(fast)) + (_blocking_apart(first, blocking, asides) if first or kept else _blocking(blocking))
    return f"""/* SPDX-License-Identifier: MIT */
/* Made from {sources} by tools/amalgam/api/generate.py: edit that. */
/*
 * Which function each call of a process reaches, in this shape. What can be checked without the call's own state is
 * checked here.
 */
#ifndef GENERATED_DISPATCH_H
#define GENERATED_DISPATCH_H

#include <errors.h>
{"#include <hal/cpu.h>" + chr(10) if served else ""}{includes}#include <process/process.h>
{served}{ways_in}{_other(rest)}{_ends(calls)}{_fault(apis)}
#endif
"""
