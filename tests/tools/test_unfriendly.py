# SPDX-License-Identifier: MIT
"""What a machine or a file does to the tools: two at once, no room, no right to write, a signal, a file that was made to hurt. Each is a
sentence or an answer, never a traceback. No board is needed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from amalgam import cli, paths
from command_line import ROOT, amalgam

MEMORY = 2 << 30  # bytes that a command may take


def checked(file: Path, text: str) -> list[dict[str, object]]:
    """What `check` finds wrong in a file of this text."""
    file.write_text(text, encoding="utf-8")
    done = amalgam("check", str(file), "--json", timeout=120, memory=MEMORY)
    assert (done.returncode, done.stderr) == (1, "")
    return json.loads(done.stdout)["errors"]


def guest(folder: Path, name: str) -> subprocess.Popen[str]:
    """A process that has written the system file for `run guest` with a kernel of this name, says where, and lives on."""
    kernel = folder / name
    kernel.write_bytes(name.encode())
    program = (
        "import sys; from pathlib import Path; from amalgam import cli, paths; from amalgam.system.guest import guest_file\n"
        "paths.BUILD = Path(sys.argv[2])\n"
        "args = cli.parser().parse_args(['run', 'guest', '--kernel', sys.argv[1], '--boot', 'raw'])\n"
        "print(guest_file(args), flush=True); sys.stdin.read()"
    )
    words = [sys.executable, "-c", program, str(kernel), str(folder / "build")]
    return subprocess.Popen(
        words, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(ROOT / "tools")}
    )


def test_two_guests_at_once_have_files_of_their_own_and_a_later_one_takes_the_first(tmp_path: Path) -> None:
    both = [guest(tmp_path, "one"), guest(tmp_path, "two")]
    files = [Path(process.stdout.readline().strip()) for process in both if process.stdout]
    assert files[0] != files[1]
    assert paths.image_of(files[0]) != paths.image_of(files[1])
    assert [str(tmp_path / name) in file.read_text() for name, file in zip(("one", "two"), files, strict=True)] == [True, True]
    for process in both:
        process.communicate(timeout=30)
    later = guest(tmp_path, "three")
    assert later.stdout
    assert later.stdout.readline().strip() in map(str, files)
    later.communicate(timeout=30)


def test_two_system_files_of_one_name_have_images_of_their_own(tmp_path: Path) -> None:
    assert paths.image_of(paths.SYSTEMS / "debian.yaml") == paths.BUILD / "systems" / "debian.img"
    images = {paths.image_of(folder / "debian.yaml") for folder in (paths.SYSTEMS, tmp_path, tmp_path / "a")}
    assert len(images) == 3
    assert paths.image_of(tmp_path / "a" / ".." / "debian.yaml") in images


def test_merges_of_merges_take_no_memory(tmp_path: Path) -> None:
    """As values they would be 2^40 entries."""
    levels = [f"x{i}: &x{i} {{<<: [*x{i - 1}, *x{i - 1}], c{i}: 1}}" for i in range(1, 41)]
    text = "\n".join(["system: bomb", "board: q35", "x0: &x0 {a: 1}", *levels, "domains: *x40", ""])
    assert any("domain '<<'" in str(error["wrong"]) for error in checked(tmp_path / "bomb.yaml", text))


def test_a_file_that_contains_itself_is_wrong(tmp_path: Path) -> None:
    text = "system: cycle\nboard: q35\ndomains: &d\n  a: *d\n  b: &l [*l]\n"
    assert any("domain 'b' is a list" in str(error["wrong"]) for error in checked(tmp_path / "cycle.yaml", text))


@pytest.mark.parametrize(("code", "said"), [("\\ud800", "0xd800"), ("\\0", "0x0000")])
def test_a_code_that_is_no_character_is_refused_at_its_place(tmp_path: Path, code: str, said: str) -> None:
    text = f'system: half\nboard: q35\ndomains:\n  a: {{boot: linux64, memory: 64M, kernel: "x{code}y"}}\n'
    found = checked(tmp_path / "half.yaml", text)
    assert (4, 43, f"this text has the code {said}, which is no character") in [(e["line"], e["column"], e["wrong"]) for e in found]


@pytest.mark.parametrize(
    ("name", "content"), [("x.dtb", b"\xd0\x0d\xfe\xed\0\0\x10\0" + b"\xff" * 100), ("x.dtb", b"x"), ("x.dts", b"/dts-v1/;\xff")]
)
def test_a_damaged_device_tree_is_refused_at_its_place(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "k.bin").write_bytes(bytes(4096))
    text = f"system: tree\nboard: ref405ep\ncores: 1\nmemory: 128M\ndomains:\n  a: {{kernel: k.bin, memory: 16M, load: 0, dtb: {name}}}\n"
    found = checked(tmp_path / "tree.yaml", text)
    assert [(e["line"], str(e["wrong"]).partition(":")[0]) for e in found] == [(6, f"'{name}' is no device tree")]


def copy_of_the_tools(folder: Path) -> Path:
    shutil.copytree(ROOT / "tools", folder / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("boards", "systems"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "amalgam", folder)
    return folder


def test_a_checkout_whose_path_has_a_space_says_so(tmp_path: Path) -> None:
    root = copy_of_the_tools(tmp_path / "a b")
    done = amalgam("build", "pc", root=root, AMALGAM_VENV=str(Path(sys.prefix)))
    assert done.returncode == 1
    assert done.stderr == f"amalgam: error: the checkout's path has a space: '{root}'\n  next: move it to a path without one\n"
    assert "MISSING path of the checkout" in amalgam("doctor", root=root).stdout


def test_doctor_and_help_write_nothing(tmp_path: Path) -> None:
    root = copy_of_the_tools(tmp_path / "checkout")
    before = sorted(root.rglob("*"))
    amalgam("doctor", root=root, AMALGAM_VENV=str(Path(sys.prefix)), PYTHONDONTWRITEBYTECODE="")
    amalgam("run", "--help", root=root, PYTHONDONTWRITEBYTECODE="")
    assert sorted(root.rglob("*")) == before


@pytest.mark.parametrize(
    ("number", "step"),
    [
        ("ENOSPC", "free some space"),
        ("EROFS", "make it writable"),
        ("EACCES", "make it writable"),
        ("EIO", "see that this file can be read"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_what_the_operating_system_refuses_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], number: str, step: str, as_json: bool
) -> None:
    import errno

    from amalgam.commands import size

    def fails(_args: object) -> int:
        code = getattr(errno, number)
        raise OSError(code, os.strerror(code), "/somewhere/file")

    monkeypatch.setattr(size, "run", fails)
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGHUP)
    try:
        assert cli.main(["size", *(["--json"] if as_json else [])]) == 1
    finally:
        signal.signal(signal.SIGTERM, before[0])
        signal.signal(signal.SIGHUP, before[1])
    out, err = capfd.readouterr()
    if as_json:
        told = json.loads(out)
        assert (told["ok"], err) == (False, "")
        out, err = "", f"amalgam: error: {told['error']}\n  next: {told['next']}\n"
    assert err.startswith("amalgam: error: cannot use '/somewhere/file': ")
    assert f"\n  next: {step}" in err


@pytest.mark.parametrize("words", [["bench", "nonesuch"], ["check", "nonesuch"], ["trace", "--convert", "nonesuch"]])
def test_a_failure_is_json_for_who_asked_for_json(words: list[str]) -> None:
    done = amalgam(*words, "--json")
    assert (done.returncode, done.stderr) == (1, "")
    assert json.loads(done.stdout)["ok"] is False


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_sigterm_ends_what_a_compilers_driver_has_started(tmp_path: Path) -> None:
    """Also when a second one comes, and though the driver, which is killed, ends nobody."""
    said = tmp_path / "pids"
    program = (
        "import sys; from amalgam import cli, proc; from amalgam.commands import size\n"
        f"size.run = lambda _args: proc.run(['sh', '-c', 'sleep 300 & echo $! >{said}; wait'], 'compiling')\n"
        "sys.exit(cli.main(['size']))"
    )
    process = subprocess.Popen([sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": str(ROOT / "tools")})
    end = time.monotonic() + 60
    while not (said.exists() and said.read_text().strip()) and time.monotonic() < end:
        time.sleep(0.05)
    pid = int(said.read_text())
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 143
    while lives(pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not lives(pid)
