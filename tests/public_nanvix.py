#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the public tests of Nanvix' servers, which are not in this tree, against ours (docs/nanvix.md).

    git clone https://github.com/nanvix/multikernel && git -C multikernel checkout 8cb95a1
    .venv/bin/python tests/public_nanvix.py multikernel [GROUP ...]

Each group is compiled unchanged with a __main2() of this script, which waits for the servers and calls its cases, and runs in a cluster
beside one with the servers. A case that fails ends the program, so those behind it do not run. The end is 0 if all have passed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from amalgam import paths
from amalgam.board.machine import machine_for
from amalgam.errors import UserError
from amalgam.system.compile import compile_system

CASES = {  # group: its lists of cases, and how many these have
    "name": (["name_api", "name_fault", "name_stress"], 13),
    "rmem/stub": (["rmem_stub_api", "rmem_stub_fault", "rmem_stub_stress"], 18),
    "rmem/cache": (["rmem_cache_api", "rmem_cache_stress"], 8),
    "rmem/manager": (["rmem_manager_api", "rmem_manager_fault", "rmem_manager_stress"], 11),
    "posix": (["mem_api"], 3),
    "fs": (["vfs_api", "vfs_fault", "vfs_stress"], 16),
}
WORDS = [
    "--machine",
    "riscv64",
    "--nanvix",
    "-std=c99",
    "-fno-builtin",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-function",
    "-Wno-maybe-uninitialized",
]
PATIENCE = 240  # s of the host
MAIN = """
#include <nanvix/runtime/runtime.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/thread.h>
#include <nanvix/ulib.h>
#include <posix/fcntl.h>
#include "test.h"
%s
int __main2(int argc, const char *argv[]);
static void run(struct test *t)
{
    for (; t->test_fn; t++) {
        uprintf("public: case %%s", t->name);
        t->test_fn();
    }
}
int __main2(int argc, const char *argv[])
{
    rpage_t page;
    int fd;
    UNUSED(argc);
    UNUSED(argv);
    while (nanvix_name_link(knode_get_num(), "public") == -EAGAIN)
        kthread_yield();
    nanvix_name_unlink("public");
    while (!(page = nanvix_rmem_alloc()))
        kthread_yield();
    nanvix_rmem_free(page);
    while ((fd = nanvix_vfs_open("disk", O_RDONLY)) < 0)
        kthread_yield();
    nanvix_vfs_close(fd);
    uassert(__runtime_setup(SPAWN_RING_LAST) == 0);
    %s
    uprintf("public: done");
    return 0;
}
"""


def process(name: str, memory: str, *words: str, **more: object) -> dict[str, object]:
    return {"kind": "process", "program": f"build:server-{name}.elf", "arguments": [name, *words], "memory": memory, "threads": 1, **more}


def system(program: Path, files: Path) -> dict[str, object]:
    tests: dict[str, object] = {"kind": "process", "program": str(program), "arguments": ["init"], "memory": "1M", "threads": 15}
    tests |= {"power": "board", "environment": {"NAMES": "1", "MEMORY": "1", "FILES": "1"}}
    servers = {
        "name": process("name", "192K", cores=[1]),
        "memory": process("memory", "13M", "3000", cores=[2]),
        "file": process("file", "1M", "quota=256", files=str(files), cores=[3]),
    }
    clusters = {
        "io": {"kind": "io", "harts": 17, "memory": "4M", "domains": {"tests": tests}},
        "servers": {"kind": "io", "harts": 5, "memory": "16M", "domains": servers},
    }
    return {"system": "public", "board": "manycore", "kernel": "shape:cluster", "clusters": clusters}


def run(clone: Path, group: str, place: Path) -> int:
    """Returns how many cases have passed."""
    sources, lists = clone / "src/ubin/test", CASES[group][0]
    place.mkdir(parents=True, exist_ok=True)
    declared = "\n".join(f"extern struct test tests_{name}[];" for name in lists)
    (place / "main.c").write_text(MAIN % (declared, "\n    ".join(f"run(tests_{name});" for name in lists)), encoding="utf-8")
    own = [path for path in sorted((sources / group).glob("*.c")) if path.name != "driver.c"]
    if not own:
        raise UserError(f"{sources / group} has no sources", "name a clone of nanvix/multikernel at 8cb95a1")
    words = [paths.ROOT / "amalgam", "cc", *WORDS, f"-I{sources}", *own, place / "main.c", "-o", place / "program"]
    subprocess.run(list(map(str, words)), check=True)
    files = place / "files"
    files.mkdir(exist_ok=True)
    (files / "disk").write_bytes(bytes(64 << 10))
    (place / "public.yaml").write_text(yaml.safe_dump(system(place / "program", files), sort_keys=False), encoding="utf-8")
    made, image = compile_system(place / "public.yaml", lambda _text: None, place / "public.img")
    machine = machine_for(made, image)
    machine.icount = True
    with machine.board() as board:
        board.wait(PATIENCE)
        text = board.consoles[0].text.replace("\r", "")
    (place / "console.txt").write_text(text, encoding="utf-8")
    begun, done = len(re.findall(r"^public: case ", text, re.MULTILINE)), "\npublic: done\n" in text
    return begun if done else max(0, begun - 1)


def main(words: list[str]) -> int:
    groups = words[1:] or list(CASES)
    if not words or not set(groups) <= CASES.keys():
        print(f"public_nanvix.py CLONE [{' | '.join(CASES)} ...]", file=sys.stderr)
        return 2
    missed = 0
    for group in groups:
        place, all_of = paths.BUILD / "public-nanvix" / group.replace("/", "-"), CASES[group][1]
        passed = run(Path(words[0]).resolve(), group, place)
        missed += passed != all_of
        print(f"{group}: {passed} of {all_of} pass" + ("" if passed == all_of else f"; see {place / 'console.txt'}"), flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as error:
        sys.exit(str(error))
