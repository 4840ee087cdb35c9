# SPDX-License-Identifier: MIT
"""Pieces that guests are made of: the archive writer, the kernel unpacker, the API generator."""

import gzip
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from amalgam.api import generate
from amalgam.artifacts import kernel, programs, store
from amalgam.artifacts.cpio import Archive
from amalgam.artifacts.error import ArtifactError
from amalgam.artifacts.store import publish

ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + bytes(0x30) + b"body" * 100


def bzimage(payload: bytes, size: int, version: int = 0x20F) -> bytes:
    """The least that a bzImage is: one setup sector, HdrS, where the payload lies."""
    image = bytearray(1024 + len(payload) + 4)
    image[0x1F1] = 1
    image[0x202:0x208] = b"HdrS" + struct.pack("<H", version)
    struct.pack_into("<II", image, 0x248, 0, len(payload) + 4)
    image[1024:] = payload + struct.pack("<I", size)
    return bytes(image)


def packed(data: bytes) -> bytes:
    return gzip.compress(data)[:-4]  # gzip's last word is the size that bzimage() adds


def test_vmlinux_comes_out_as_it_went_in():
    assert kernel.extract_vmlinux(bzimage(packed(ELF), len(ELF))) == ELF


@pytest.mark.parametrize(
    "image, says",
    [
        (b"", "not a bzImage"),
        (bytes(4096), "no HdrS"),
        (bzimage(packed(ELF), len(ELF), version=0x206), "older than boot protocol"),
        (bzimage(packed(ELF), len(ELF))[:-9], "cut short"),
        (bzimage(b"unknown packing", 15), "unknown way"),
        (bzimage(packed(b"no ELF at all"), 13), "not a little-endian ELF64"),
    ],
)
def test_damaged_bzimage_is_refused(image, says):
    with pytest.raises(ArtifactError, match=says):
        kernel.extract_vmlinux(image)


DEBIAN12 = ("6.1.0-57-amd64", "6.12.117+deb12-amd64", "6.1.0-57-cloud-amd64", "6.1.0-57-rt-amd64")
DEBIAN13 = ("6.12.57+deb13-amd64", "6.12.57+deb13-cloud-amd64")  # the stock one is of the newer series


@pytest.mark.parametrize(
    ("there", "meta", "release"),
    [
        (DEBIAN12, kernel.META, "6.1.0-57-amd64"),
        (DEBIAN12, kernel.CLOUD, "6.1.0-57-cloud-amd64"),
        (DEBIAN12, kernel.RT, "6.1.0-57-rt-amd64"),
        (DEBIAN12, kernel.NEWER, "6.12.117+deb12-amd64"),
        (DEBIAN13, kernel.META, "6.12.57+deb13-amd64"),
        (DEBIAN13, kernel.CLOUD, "6.12.57+deb13-cloud-amd64"),
    ],
)
def test_without_apt_a_kernel_is_one_of_the_same_kind_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: tuple[str, ...], meta: str, release: str
) -> None:
    def unknown(_package: str) -> None:
        raise ArtifactError("no apt")

    monkeypatch.setattr(kernel.apt, "candidate", unknown)
    for one in there:  # the last is the latest
        tree = tmp_path / "packages" / f"linux-image-{one}_1"
        (tree / "lib/modules" / one).mkdir(parents=True)
        (tree / "boot").mkdir()
        (tree / "boot" / f"vmlinuz-{one}").touch()
    assert kernel.find(tmp_path, lambda _text: None, meta).release == release


def test_archive_is_what_cpio_reads(tmp_path):
    def make():
        archive = Archive()
        archive.file("a/b/c", b"data", 0o755)
        archive.link("a/l", "b/c")
        archive.character_device("dev/console", 5, 1)
        return archive.bytes()

    assert make() == make()
    done = subprocess.run(["cpio", "-itv"], input=make(), capture_output=True, check=True)
    listing = done.stdout.decode()
    assert "-rwxr-xr-x   1 root     root            4" in listing and "a/l -> b/c" in listing and "5,   1" in listing


def test_failed_build_leaves_nothing_behind(tmp_path):
    def fail(target):
        target.write_text("half")
        raise ArtifactError("no")

    with pytest.raises(ArtifactError):
        publish(tmp_path, "thing", fail)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", generate.kept(), ids=lambda path: path.name)
def test_what_is_made_from_the_tables_of_calls_is_current(path):
    assert path.read_text() == generate.kept()[path], "run: python3 tools/amalgam/api/generate.py write"


def test_kernel_decoder_checks_every_argument(tmp_path):
    """Compile the generated decoder against calls that record; a refused argument must not reach one."""
    header = tmp_path / "generated/api_calls.h"
    header.parent.mkdir()
    header.write_text(generate.kernel_header(generate.load()))
    invoke = ""
    for call in generate.load()["calls"]:
        args = "".join(f", {'u8 *' if 'buffer' in a else 'u32 '}{a['name']}" for a in call["args"])
        used = "".join(f"(void){a['name']};" for a in call["args"])
        invoke += f"s64 api_{call['name']}({generate.load()['caller']} *caller{args}) {{ (void)caller; {used} return 1000 + {call['number']}; }}\n"
    source = tmp_path / "t.c"
    source.write_text(
        "#include <generated/api_calls.h>\n#include <assert.h>\n"
        + invoke
        + """
int main(void)
{
    u8 ram[8192];
    struct guest_memory m = { 1, { { 0x1000, ram, sizeof(ram) } } };
#define CALL(n, ...) api_decode(0, &m, n, (const u64[4]){ __VA_ARGS__ })
    assert(CALL(API_NULL) == 1000 && CALL(API_CALLS) == -ENOSYS && CALL(0xffffffff) == -ENOSYS);
    assert(CALL(API_SCHED_SET_PARAM, 31) == 1002 && CALL(API_SCHED_SET_PARAM, 32) == -ERANGE);
    assert(CALL(API_SCHED_SET_PARAM, 1ull << 32) == -ERANGE);
    assert(CALL(API_CONSOLE_WRITE, 0x1000, 4096) == 1003 && CALL(API_CONSOLE_WRITE, 0x1000, 4097) == -ERANGE);
    assert(CALL(API_CONSOLE_WRITE, 0x2001, 4096) == -EFAULT && CALL(API_CONSOLE_WRITE, ~0ull, 2) == -EFAULT);
    assert(CALL(API_TUNNEL_INFO, 15, 6) == 1004 && CALL(API_TUNNEL_INFO, 15, 7) == -ERANGE && CALL(API_TUNNEL_INFO, 16, 0) == -ERANGE);
    return 0;
}
"""
    )
    subprocess.run(
        ["gcc", "-Wall", "-Wextra", "-Werror", f"-I{tmp_path}", f"-I{generate.ROOT}/kernel/include", "-o", tmp_path / "t", source],
        check=True,
    )
    subprocess.run([tmp_path / "t"], check=True)


def test_libraries_of_a_program_are_found_once(tmp_path, monkeypatch):
    system = Path("/lib/x86_64-linux-gnu")
    trees = {
        "cat": {"bin/cat": Path("/bin/cat")},
        "libc6": {f"lib/x86_64-linux-gnu/{n}": system / n for n in ("libc.so.6", "ld-linux-x86-64.so.2")},
    }
    asked = []

    def unpacked(cache, package, _log):
        asked.append(package)
        for inside, source in trees[package].items():
            (cache / package / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, cache / package / inside)
        return cache / package

    monkeypatch.setattr(programs.apt.MACHINE, "unpacked", unpacked)
    monkeypatch.setattr(programs.apt.MACHINE, "ask", lambda _packages: None)
    monkeypatch.setattr(programs.apt.MACHINE, "candidate", lambda package: ("1", ["libc6"] if package == "cat" else []))

    def find():
        asked.clear()
        found = programs.with_libraries(tmp_path, {"bin/cat": ("cat", "bin/cat")}, lambda _text: None)
        assert [inside for inside, _path in found] == ["bin/cat", "lib/x86_64-linux-gnu/libc.so.6", "lib64/ld-linux-x86-64.so.2"]
        return "libc6" in asked

    assert find()
    assert not find()
    (tmp_path / "libc6/lib/x86_64-linux-gnu/libc.so.6").unlink()  # the cache was cleaned
    assert find()


def test_how_a_thing_is_made_is_a_part_of_its_key(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "EMULATOR", tmp_path / "emulator")
    (tmp_path / "emulator").mkdir()

    def made(**texts: str) -> str:
        store.recipe.cache_clear()
        for name, text in texts.items():
            (tmp_path / f"{name}.py").write_text(text)
        return store.recipe(str(tmp_path / "maker.py"))

    first = made(
        maker="from . import helper\nfrom .apt import fetched\n", helper="from .words import A\n", words="A = 1\n", apt="", other=""
    )
    assert made(other="B = 2\n", apt="B = 2\n") == first
    assert made(words="A = 2\n") != first
    patched = made(words="from amalgam.emulator import mend\n", **{"emulator/mend": "from .spots import C\n", "emulator/spots": "C = 3\n"})
    assert made(**{"emulator/spots": "C = 4\n"}) != patched


def test_each_maker_has_its_recipe_in_its_key():
    makers = [path for path in Path(store.__file__).parent.glob("*.py") if "publish(" in path.read_text() and path.name != "store.py"]
    assert len(makers) > 8
    for path in makers:
        text = path.read_text()
        assert not re.search(r"\bkey\((?!\s*recipe\()", text), path.name
