# SPDX-License-Identifier: MIT
"""Guests by VT-x that have Bochs' Intel board for themselves: events, lengths of ways out, an attacker; long: Debian's Linux."""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.board.console import SCALE
from amalgam.board.shell import await_shell, run_command
from amalgam.build.kernel import build_kernel
from amalgam.measure import budgets
from second import need
from test_hostile import KINDS, attack, attacked

pytestmark = pytest.mark.beside

GUEST = {"boot": "pvh", "memory": "16M", "cores": [0], "devices": [{"type": "uart"}]}


def events(cores: list[int], xapic: int) -> dict[str, Any]:
    devices = [{"type": "uart"}, {"type": "pc"}]
    return GUEST | {"kernel": "build:events.elf", "vcpus": 2, "cores": cores, "cmdline": f"xapic={xapic}", "devices": devices}


@pytest.mark.parametrize(("cores", "apic"), [([0, 0], "x2apic"), ([0, 1], "xapic")], ids=["one-core", "two-cores"])
def test_events_come_when_the_guest_can_take_them_by_vt_x(boot: Any, cores: list[int], apic: str) -> None:
    guest = events(cores, int(apic == "xapic"))
    system = {"system": "intel-events", "board": "bochs-intel", "cores": max(cores) + 1, "memory": "256M", "domains": {"g": guest}}
    with boot(system, emulator="bochs") as board:
        board["g"].expect(rf"events: {apic}\r?\n", 60)
        board["g"].expect(r"events: done, 0 wrong", 120)


# Ticks that a guest sees, and the goals; bench/exits/README.md has them, too.
WAYS = {
    "hypercall": (75, 80),
    "cpuid": (108, 120),
    "msr": (99, 110),
    "pio": (339, 350),
    "yield": (214, 230),
    "inject": (446, 450),
    "nested-fault": (1300, 1300),
}
SLACK = 6  # ticks that other code of the kernel may add, but not beyond the goal


@pytest.mark.parametrize("shape", ["pc-intel", "pc-both"])
def test_ways_out_of_a_guest_are_no_longer_than_written_by_vt_x(boot: Any, record_property: Any, shape: str) -> None:
    guest = GUEST | {"kernel": "build:exits.elf", "cmdline": "n=100", "hypercalls": True}
    system = {"system": "intel-exits", "board": "bochs-intel", "cores": 1, "memory": "256M", "domains": {"g": guest}}
    with boot(system, emulator="bochs", kernel=build_kernel(shape, lambda _text: None)) as b:
        b["g"].expect(r"exits: done", 120)
        ticks = {name: int(median) for name, median in re.findall(r"bench exits (\S+) \d+ (\d+) 100\r?\n", b["g"].text)}
    said = (f"{name} {ticks[name]} (goal {goal}{', missed' if ticks[name] > goal else ''})" for name, (_, goal) in WAYS.items())
    record_property("summary", f"VT-x on Bochs, {shape}, ticks: " + ", ".join(said))
    other = budgets.other_compiler("exits")
    limits = {name: most + SLACK if other else max(most, min(most + SLACK, goal)) for name, (most, goal) in WAYS.items()}
    assert not {name: ticks[name] for name, limit in limits.items() if ticks[name] > limit}


@pytest.mark.parametrize("n", [1_000, pytest.param(10_000, marks=pytest.mark.full)])
def test_neighbours_of_an_attacker_of_each_kind_compute_on_by_vt_x(boot: Any, tmp_path: Path, n: int) -> None:
    """All on one board, whose BIOS takes a third of the time. Its seconds are long: a watchdog of five costs as much as all steps."""
    kinds = [kind for kinds, _ in KINDS for kind in kinds]
    system = attacked(tmp_path, ",".join(kinds), n, n // 5, 1, watchdog="200ms", mib=1, how="xcr0=1") | {
        "system": "intel-hostile",
        "board": "bochs-intel",
    }
    with boot(system, emulator="bochs") as board:
        attack(board, kinds, n, 900, lambda _text: None, mib=1)


@pytest.mark.full
def test_linux_on_two_vcpus_of_a_system_for_amd_answers_by_vt_x(one_board: None) -> None:
    """By its CD image, beside a partition with windows."""
    need("bochs")
    words = [paths.ROOT / "amalgam", "run", "debian", "--board", "bochs-intel", "--exec", "linux:nproc; uname -r"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=3600 * SCALE, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.fullmatch(r"2\n\d+\.\d+\.\d+-\S+\n", done.stdout), done.stdout


@pytest.mark.full
def test_debian_reaches_its_shell_by_vt_x(boot: Any, tmp_path: Path) -> None:
    """It finds its virtio devices there and uses them: what it has written to its disk is what it reads."""
    disk = tmp_path / "disk.img"
    disk.write_bytes(bytes(range(256)) * 512)
    system = yaml.safe_load((paths.SYSTEMS / "debian-intel.yaml").read_text(encoding="utf-8"))
    system["domains"]["linux"]["devices"] += [{"type": "block", "image": str(disk)}, {"type": "net", "net": 1}]
    with boot(system, emulator="bochs") as board:
        await_shell(board["linux"], 1500)
        assert run_command(board["linux"], "uname -m", 60) == ("x86_64\n", 0)
        summed = hashlib.md5(disk.read_bytes()).hexdigest()  # noqa: S324 - no secret
        assert run_command(board["linux"], "md5sum </dev/vda", 60)[0].split()[0] == summed
        wrote = "dd if=/dev/urandom of=/tmp/x bs=4k count=16 2>&1; dd if=/tmp/x of=/dev/vda bs=4k seek=3 conv=fsync 2>&1"
        assert run_command(board["linux"], wrote, 60)[1] == 0
        reads = "echo 3 >/proc/sys/vm/drop_caches; dd if=/dev/vda bs=4k skip=3 count=16 2>/dev/null | cmp - /tmp/x"
        assert run_command(board["linux"], reads, 60) == ("", 0)
        text, status = run_command(board["linux"], "cat /sys/class/misc/hw_random/rng_current; ls /sys/class/net | grep eth", 60)
        assert status == 0, "no network device"
        assert text.startswith("virtio_rng")
