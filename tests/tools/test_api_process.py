# SPDX-License-Identifier: MIT
"""The table of processes' calls: what is made from it, and what it refuses."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml
from amalgam import paths
from amalgam.api import attach, dispatch, generate, process
from amalgam.api.tables import ApiError, check_ranges

# struct user as the dispatcher needs it, before the header of the port.
USER = """
#define AMALGAM_HAL_USER_H
#define AMALGAM_PROCESS_H
#include <types.h>
struct user { u64 number, argument[4]; s64 result; };
struct process_thread { struct user user; };
static inline u64 user_number(const struct user *u) { return u->number; }
static inline u64 user_argument(const struct user *u, unsigned n) { return u->argument[n]; }
static inline u64 user_wide_argument(const struct user *u, unsigned n) { return u->argument[n]; }
static inline void user_return(struct user *u, s64 result) { u->result = result; }
"""
CHECKS = """
/* What is asked one after the other: how many of the three know the number. */
static unsigned known;
static s64 call(u64 number, u64 a, u64 b, u64 c, u64 d)
{
    struct process_thread t = { { number, { a, b, c, d }, 0 } };
    s64 blocked, result = dispatch_other(&t);
    known = result != -ENOSYS;
    if (WITH_FAST && dispatch_fast(&t.user))
        known++, result = t.user.result;
    if (dispatch_blocking(&t, &blocked))
        known++, result = blocked;
    return result;
}

static bool blocks(u64 number)
{
    struct process_thread t = { { number, { 0 }, 0 } };
    s64 result;
    return dispatch_blocking(&t, &result);
}

int main(void)
{
    const u64 huge = ~0ull;
    assert(call(PROCESS_CALL_NULL, huge, huge, huge, huge) == 1000);
    assert(call(PROCESS_CALL_NULL + 0xffff, 0, 0, 0, 0) == -ENOSYS && call(huge, 0, 0, 0, 0) == -ENOSYS);
    assert(call(PROCESS_CALL_NULL + (1ull << 32), 0, 0, 0, 0) == -ENOSYS);
    assert(call(0, 0, 0, 0, 0) == -ENOSYS && call(1, 0, 0, 0, 0) == -ENOSYS); /* numbers of other systems */
    assert(call(PROCESS_CALL_CONSOLE_WRITE, huge, 4096, 0, 0) == 1002);
    assert(call(PROCESS_CALL_CONSOLE_WRITE, huge, 4097, 0, 0) == -ERANGE);
    assert(call(PROCESS_CALL_CONSOLE_WRITE, huge, 1ull << 32, 0, 0) == -ERANGE);
    assert(call(PROCESS_CALL_WAIT, huge, 0xffffffff, huge, 0) == 1009);
    assert(call(PROCESS_CALL_WAIT, huge, 1ull << 32, huge, 0) == -ERANGE);
    assert(call(PROCESS_CALL_INFO, PROCESS_CALL_INFO_DOMAIN, 0, 0, 0) == 1012);
    assert(call(PROCESS_CALL_INFO, PROCESS_CALL_INFO_EPOCH + 1, 0, 0, 0) == -ERANGE);
    assert(call(PROCESS_CALL_MAP, huge, huge, PROCESS_CALL_MAP_EXEC, 0) == 1013);
    assert(call(PROCESS_CALL_MAP, huge, huge, PROCESS_CALL_MAP_64K + 1, 0) == -ERANGE);
    assert(call(PROCESS_CALL_UNMAP, huge, huge, huge, huge) == 1014);
    assert(call(PROCESS_CALL_PROTECT, huge, huge, PROCESS_CALL_PROTECT_EXEC, 0) == 1015);
    assert(call(PROCESS_CALL_PROTECT, huge, huge, 1ull << 32, 0) == -ERANGE);
    assert(call(PROCESS_CALL_THREAD_CORES, 0xffffffff, 0, 0, 0) == 1016);
    assert(call(PROCESS_CALL_THREAD_CORES, 1ull << 32, 0, 0, 0) == -ERANGE);
    assert(call(PROCESS_CALL_TUNNEL_INFO, 15, PROCESS_CALL_TUNNEL_INFO_STATE, 0, 0) == 1017);
    assert(call(PROCESS_CALL_TUNNEL_INFO, 16, 0, 0, 0) == -ERANGE && call(PROCESS_CALL_TUNNEL_INFO, 0, 7, 0, 0) == -ERANGE);
    assert(call(PROCESS_CALL_TUNNEL_NOTIFY, 15, 0, 0, 0) == 1018 && call(PROCESS_CALL_TUNNEL_NOTIFY, 16, 0, 0, 0) == -ERANGE);
    assert(call(PROCESS_CALL_TUNNEL_WAIT, 15, huge, 0, 0) == 1019 && call(PROCESS_CALL_TUNNEL_WAIT, huge, 0, 0, 0) == -ERANGE);
    assert(call(PROCESS_CALL_TUNNEL_CALL, 15, huge, 0, 0) == 1024 && call(PROCESS_CALL_TUNNEL_CALL, 16, 0, 0, 0) == -ERANGE);
    assert(call(PROCESS_CALL_FRAME_MAP, huge, 0xffffffff, 1, 0) == 1022);
    assert(call(PROCESS_CALL_FRAME_MAP, huge, 0, 2, 0) == -ERANGE && call(PROCESS_CALL_FRAME_FREE, huge, 0, 0, 0) == -ERANGE);
    assert(call(PROCESS_CALL_THREAD_CREATE, huge, huge, huge, huge) == 1006);
    assert(blocks(PROCESS_CALL_WAIT) && blocks(PROCESS_CALL_WAKE) && blocks(PROCESS_CALL_YIELD));
    assert(!blocks(PROCESS_CALL_NULL) && !blocks(PROCESS_CALL_MAP) && !blocks(PROCESS_CALL_EXIT));
    assert(dispatch_ends(PROCESS_CALL_EXIT) && dispatch_ends(PROCESS_CALL_THREAD_EXIT));
    assert(!dispatch_ends(PROCESS_CALL_NULL) && !dispatch_ends(PROCESS_CALL_WAIT));
    return 0;
}
"""


ALL = process.tables()
SCC = process.table_named("scc")


# The master and its helper, which here are the caller.
MASTER = """/* what the dispatcher needs of process/remote.h and hal/cpu.h */
struct request { struct process_thread *t; };
static int handed, off;
static inline void irq_disable(void) { off++; }
static inline void irq_enable(void) { off--; }
static inline struct process_thread *remote_thread(struct request *r) { return r->t; }
static inline s64 remote_call(struct process_thread *t, s64 (*serve)(struct request *r))
{
    handed = 1;
    return serve(&(struct request){ t });
}
static inline s64 remote_long_call(struct process_thread *t, s64 (*serve)(struct request *r))
{
    handed = 2;
    return serve(&(struct request){ t });
}
"""
HANDED = """    assert(call(PROCESS_CALL_WAKE, huge, huge, 0, 0) == 1010 && handed == 1 && !off);
    handed = 0;
    assert(call(PROCESS_CALL_INFO, 0, 0, 0, 0) == 1012 && call(PROCESS_CALL_WAIT, huge, 0, huge, 0) == 1009 && !handed);
    assert(call(PROCESS_CALL_MAP, huge, huge, PROCESS_CALL_MAP_64K + 1, 0) == -ERANGE && !handed);
    assert(call(PROCESS_CALL_MAP, huge, huge, 0, 0) == 1013 && handed == 2 && !off);
"""


def run_dispatcher(folder: Path, tables: list[process.Table], kept: bool, checks: str, remote: bool = False) -> None:
    """Each call is a function here that says its number and its table: what the dispatcher refuses does not reach one."""
    (folder / "generated").mkdir()
    (folder / "process").mkdir()
    (folder / "hal").mkdir()
    (folder / "hal/cpu.h").touch()
    (folder / "process/process.h").write_text(MASTER if remote else "", encoding="utf-8")
    apis, bodies = [process.load(table) for table in tables], ""
    for i, loaded in enumerate(apis, 1):
        prefix = loaded["table"].prefix
        (folder / f"generated/{prefix}_calls.h").write_text(process.kernel_header(loaded), encoding="utf-8")
        bodies += "".join(f"{process.signature(loaded, c)} {{ return {1000 * i + c['number']}; }}\n" for c in loaded["calls"])
        if loaded.get("faults"):
            bodies += f"bool {loaded['faults']}(struct process_thread *t, u64 at, unsigned access) {{ return at == 7; }}\n"
    (folder / "generated/dispatch.h").write_text(dispatch.dispatcher(apis, kept, remote), encoding="utf-8")
    fast = f"#define WITH_FAST {int(not kept)}\n" + ("bool dispatch_fast(struct user *u);\n" if kept else "")
    source = folder / "t.c"
    source.write_text(USER + f"#include <generated/dispatch.h>\n#include <assert.h>\n{fast}{bodies}{checks}", encoding="utf-8")
    words = ["-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", f"-I{folder}", f"-I{paths.ROOT}/kernel/include"]
    subprocess.run(["gcc", *words, "-o", folder / "t", source], check=True)
    subprocess.run([folder / "t"], check=True)


def test_the_dispatcher_of_processes_checks_every_argument(tmp_path: Path) -> None:
    run_dispatcher(tmp_path, [process.table_named(process.FIRST)], False, CHECKS)


def test_a_remote_call_is_left_to_the_master_after_its_arguments_were_checked(tmp_path: Path) -> None:
    checks = CHECKS.removesuffix("    return 0;\n}\n") + HANDED + "    return 0;\n}\n"
    run_dispatcher(tmp_path, [process.table_named(process.FIRST)], False, checks, remote=True)


@pytest.mark.parametrize("kept", [False, True], ids=["fast", "kept"])
@pytest.mark.parametrize("tables", [ALL, ALL[:1], (ALL[0], SCC)], ids=["all", "process", "scc"])
def test_each_call_of_each_part_is_known_once(tmp_path: Path, tables: tuple[process.Table, ...], kept: bool) -> None:
    """Whatever parts a shape links: none asks for a number that another place has had, and what is in no table is nobody's."""
    checks = CHECKS.partition("int main")[0] + "int main(void)\n{\n"
    for i, table in enumerate(tables, 1):
        loaded = process.load(table)
        for c in loaded["calls"]:
            if kept and c.get("fast") and not c.get("aside"):
                continue  # fast_kept.c has it
            checks += f"    assert(call({loaded['base'] + c['number']:#x}u, 0, 0, 0, 0) == {1000 * i + c['number']} && known == 1);\n"
        behind = max(c["number"] for c in loaded["calls"]) + 1
        checks += f"    assert(call({loaded['base'] + behind:#x}u, 0, 0, 0, 0) == -ENOSYS && known <= 1);\n"
        checks += f"    assert(call({loaded['base'] - 1:#x}u, 0, 0, 0, 0) == -ENOSYS && known == 0);\n"
    own = int(SCC in tables)
    checks += f"    assert(dispatch_fault(0, 7, 0) == {own} && !dispatch_fault(0, 8, 0) && blocks({0x41500003:#x}u));\n    return 0;\n}}\n"
    run_dispatcher(tmp_path, list(tables), kept, checks)


@pytest.mark.parametrize(("table", "name"), [("device", "device_read"), ("spawn", "spawn_events")])
def test_a_fast_call_that_nobody_settles_where_the_way_in_keeps_registers_is_refused(table: str, name: str) -> None:
    """fast_kept.c has those of process.yaml without arguments only."""
    loaded = process.load(process.table_named(table))
    call = next(c for c in loaded["calls"] if c["name"] == name)
    wrong = {**loaded, "calls": [{key: value for key, value in call.items() if key != "aside"}]}
    assert f"{table}_call_{name}" in dispatch.dispatcher([wrong], False)
    with pytest.raises(ApiError, match=f"{name}: a fast call that process/fast_kept.c does not settle"):
        dispatch.dispatcher([wrong], True)


CALL = {"name": "one", "number": 0, "text": "Does.", "returns": 0, "args": []}
NUMBER = {"name": "n", "value": {}, "type": "int", "text": "a number"}


@pytest.mark.parametrize(
    ("calls", "says"),
    [
        ([CALL, {**CALL, "name": "two"}], "number 0 is taken"),
        ([{**CALL, "number": 0x10000}], "outside"),
        ([{**CALL, "or nothing": None}], "unknown key or nothing"),
        ([{**CALL, "errors": {"EWHAT": "never"}}], "EWHAT is not in errors.h"),
        ([{**CALL, "errors": {"ENOENT": None}}], "ENOENT has no reason"),
        ([{**CALL, "fast": True, "ends": True}], "a fast call returns"),
        ([{**CALL, "fast": True, "rare": True}], "one of fast, rare, blocks"),
        ([{**CALL, "rare": True, "blocks": True}], "one of fast, rare, blocks"),
        ([{**CALL, "remote": True, "fast": True}], "neither fast nor the last one"),
        ([{**CALL, "args": [NUMBER] * 5}], "at most 4"),
        ([{**CALL, "args": [{**NUMBER, "of": ["a"]}]}], "exactly one of"),
        ([{**CALL, "args": [{"name": "n", "value": {}, "text": "untyped"}]}], "no type"),
        ([{**CALL, "args": [{"name": "b", "buffer": {"length": "n"}, "type": "void *", "text": "bytes"}]}], "no argument"),
    ],
)
def test_a_wrong_table_is_refused(tmp_path: Path, calls: list[dict], says: str) -> None:
    path = tmp_path / "table.yaml"
    path.write_text(yaml.safe_dump({"version": 1, "base": 0, "caller": "struct process_thread", "calls": calls}), encoding="utf-8")
    with pytest.raises(ApiError, match=says):
        process.load(path=path)


@pytest.mark.parametrize("wrong", ["{ EPERM: no monitor, or the caller ended }", "{ EPERM: }", "{ ENONE: never }"])
def test_a_wrong_error_of_a_guests_call_is_refused(tmp_path: Path, wrong: str) -> None:
    text, path = generate.SOURCE.read_text(encoding="utf-8"), tmp_path / "calls.yaml"
    right = "{ EPERM: the caller is no monitor, ENOENT: no such plan }"
    assert right in text
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    with pytest.raises(ApiError, match="plan_set: E|plan_set: or the caller ended"):
        generate.load(path)


def test_a_number_is_a_call_of_one_kind_of_caller() -> None:
    """Of a guest, of the Linux above, of a process, or of one of a cluster."""
    tables = [generate.load(), attach.load(), *map(process.load, ALL)]
    numbers = [table["base"] + call["number"] for table in tables for call in table["calls"]]
    assert len(numbers) == len(set(numbers)) > 30
    assert {table["caller"] for table in tables} == {"struct vcpu", "struct linux_cpu", "struct process_thread"}
    with pytest.raises(ApiError, match="in the range of 0x414d0000"):
        check_ranges([{"base": 0x414D0000}, {"base": 0}, {"base": 0x414DFFFF}])
    with pytest.raises(ApiError, match="in the range of 0x414d0000"):
        check_ranges([*tables, {"base": 0x414D0000}])
