# SPDX-License-Identifier: MIT
"""The table of processes' calls: what is made from it, and what it refuses."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml
from amalgam import api, api_attach, api_process, api_tables, paths
from amalgam.api_tables import ApiError

# struct user as the decoder needs it, before the header of the port.
USER = """
#define AMALGAM_HAL_USER_H
#define USER_FAST_MAY_BLOCK 0
#include <types.h>
struct user { u64 number, argument[4]; s64 result; };
struct process_thread { int unused; };
static inline u64 user_number(const struct user *u) { return u->number; }
static inline u64 user_argument(const struct user *u, unsigned n) { return u->argument[n]; }
static inline u64 user_wide_argument(const struct user *u, unsigned n) { return u->argument[n]; }
static inline void user_return(struct user *u, s64 result) { u->result = result; }
"""
CHECKS = """
static s64 call(u64 number, u64 a, u64 b, u64 c, u64 d)
{
    struct user u = { number, { a, b, c, d }, 0 };
    s64 blocked, result = process_decode_fast(&u) ? u.result : process_decode(0, &u);
    assert(!process_decode_blocking(0, &u, &blocked) || blocked == result);
    return result;
}

static bool blocks(u64 number)
{
    struct user u = { number, { 0 }, 0 };
    s64 result;
    return process_decode_blocking(0, &u, &result);
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
    assert(process_call_ends(PROCESS_CALL_EXIT) && process_call_ends(PROCESS_CALL_THREAD_EXIT));
    assert(!process_call_ends(PROCESS_CALL_NULL) && !process_call_ends(PROCESS_CALL_WAIT));
    return 0;
}
"""


def test_the_decoder_of_processes_checks_every_argument(tmp_path: Path) -> None:
    """Each call is a function here that says its number: what the decoder refuses does not reach one."""
    table = api_process.load()
    (tmp_path / "process_calls.h").write_text(api_process.kernel_header(table), encoding="utf-8")
    bodies = "".join(f"{api_process.signature(table, c)} {{ return {1000 + c['number']}; }}\n" for c in table["calls"])
    source = tmp_path / "t.c"
    source.write_text(USER + '#include "process_calls.h"\n#include <assert.h>\n' + bodies + CHECKS, encoding="utf-8")
    words = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", f"-I{paths.ROOT}/kernel/include"]
    subprocess.run(["gcc", *words, "-o", tmp_path / "t", source], check=True)
    subprocess.run([tmp_path / "t"], check=True)


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
        api_process.load(path=path)


@pytest.mark.parametrize("wrong", ["{ EPERM: no monitor, or the caller ended }", "{ EPERM: }", "{ ENONE: never }"])
def test_a_wrong_error_of_a_guests_call_is_refused(tmp_path: Path, wrong: str) -> None:
    text, path = api.SOURCE.read_text(encoding="utf-8"), tmp_path / "calls.yaml"
    right = "{ EPERM: the caller is no monitor, ENOENT: no such plan }"
    assert right in text
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    with pytest.raises(ApiError, match="plan_set: E|plan_set: or the caller ended"):
        api.load(path)


def test_a_number_is_a_call_of_one_kind_of_caller() -> None:
    """Of a guest, of the Linux above, of a process, or of one of a cluster."""
    tables = [api.load(), api_attach.load(), *map(api_process.load, api_process.TABLES)]
    numbers = [table["base"] + call["number"] for table in tables for call in table["calls"]]
    assert len(numbers) == len(set(numbers)) > 30
    assert {table["caller"] for table in tables} == {"struct vcpu", "struct linux_cpu", "struct process_thread"}
    with pytest.raises(ApiError, match="in the range of 0x414d0000"):
        api_tables.check_ranges([{"base": 0x414D0000}, {"base": 0}, {"base": 0x414DFFFF}])
    with pytest.raises(ApiError, match="in the range of 0x414d0000"):
        api_tables.check_ranges([*tables, {"base": 0x414D0000}])
