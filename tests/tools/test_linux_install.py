# SPDX-License-Identifier: MIT
"""What `make -C linux install` puts on a machine: DKMS builds the module from it, systemd reads the unit. All of it in a temporary root."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.artifacts import apt, kernel, kmod
from amalgam.attach.build import IMAGE, MADE, SOURCE, build_linux
from amalgam.build.kernel import build_kernel

NAME = "amalgam/0.1"


def say(_text: str) -> None:
    pass


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    build_kernel("attach", say)
    build_linux(say)
    where = tmp_path_factory.mktemp("root")
    words = ["make", "-s", "-C", SOURCE, "install", f"DESTDIR={where}", f"OUT={MADE}", f"IMAGE={IMAGE}"]
    subprocess.run(words, check=True, timeout=600)
    return where


def test_install_puts_every_part_in_its_place(root: Path) -> None:
    for name in (
        "usr/sbin/amalgam",
        "usr/lib/amalgam/amalgam.bin",
        "usr/share/man/man8/amalgam.8",
        "usr/lib/systemd/system/amalgam.service",
        "usr/lib/modprobe.d/amalgam.conf",
        "usr/src/amalgam-0.1/dkms.conf",
    ):
        assert (root / name).stat().st_size, name
    assert (root / "usr/lib/amalgam/amalgam.bin").read_bytes() == IMAGE.read_bytes()


def test_kvm_does_not_take_amdv_at_boot(root: Path) -> None:
    """From 6.12 on KVM would take AMD-V when udev loads it, and the unit would fail."""
    conf = (root / "usr/lib/modprobe.d/amalgam.conf").read_text()
    assert "options kvm enable_virt_at_load=0" in conf.splitlines()
    unit = (root / "usr/lib/systemd/system/amalgam.service").read_text()
    assert "libvirtd.service" in unit.split("Before=")[1].splitlines()[0]


def test_dkms_builds_and_installs_the_module(root: Path, tmp_path: Path) -> None:
    """Debian's dkms, unpacked, with folders of its own instead of /var/lib/dkms and /lib/modules."""
    dkms = apt.unpacked(paths.CACHE, "dkms", say) / "usr/sbin/dkms"
    release = kernel.find(paths.CACHE, say).release
    tree, modules = tmp_path / "tree", tmp_path / "modules"
    tree.mkdir()
    (modules / release).mkdir(parents=True)
    folders = ["--sourcetree", root / "usr/src", "--dkmstree", tree, "--installtree", modules, "--no-depmod"]

    def run(verb: str, *more: object) -> str:
        words = ["bash", dkms, verb, NAME, "-k", release, *folders, *more]
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("install", "--kernelsourcedir", kmod.headers(paths.CACHE, say) / "build")
    module = modules / release / "updates/dkms/amalgam.ko"
    assert f"vermagic={release} ".encode() in module.read_bytes()
    assert "installed" in run("status")
    run("remove")
    assert not module.exists()


def test_the_guide_makes_each_file_that_its_next_steps_take() -> None:
    """docs/attach.md, "On a machine": what ./amalgam builds there is what `domain create` and the installation find."""
    guide = (paths.ROOT / "docs/attach.md").read_text(encoding="utf-8").split("## On a machine")[1].split("\n\nEach command")[0]
    lines = [line.split("#")[0].split() for line in guide.splitlines() if line.startswith("    ")]
    for words in (line for line in lines if line[0] == "./amalgam"):
        done = subprocess.run([paths.ROOT / words[0], *words[1:]], capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stderr
    images = [word for line in lines for word in line if word.endswith(".img")]
    assert images
    for name in (*images, "build/attach/amalgam.bin"):
        assert (paths.ROOT / name).stat().st_size, name


def test_dkms_knows_the_first_and_the_last_linux(root: Path) -> None:
    """dkms compares so, in each version."""
    words = 'source "$0"; for k; do [[ $k =~ $BUILD_EXCLUSIVE_KERNEL ]] && echo $k; done; true'
    known = ["6.1.0-56-amd64", "6.12.118+deb13-amd64", "7.3.4+deb13-amd64"]
    others = ["5.10.0-32-amd64", "6.0.12-amd64", "7.4.1+deb13-amd64", "7.30.1-amd64", "8.1.0"]
    conf = root / "usr/src/amalgam-0.1/dkms.conf"
    done = subprocess.run(["bash", "-c", words, conf, *known, *others], capture_output=True, text=True, check=True)
    assert done.stdout.split() == known


def complaints(root: Path) -> str:
    words = ["systemd-analyze", "verify", "--man=no", f"--root={root}", "amalgam.service"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    return done.stdout + done.stderr


def test_systemd_has_no_complaint_about_the_unit(root: Path) -> None:
    units = root / "usr/lib/systemd/system"
    for target in ("sysinit", "basic", "shutdown", "multi-user"):
        (units / f"{target}.target").write_text(f"[Unit]\nDescription={target}\nDefaultDependencies=no\n")
    assert complaints(root) == ""
    unit = units / "amalgam.service"
    text = unit.read_text()
    try:
        unit.write_text(text.replace("ExecStart=", "ExecBegin="))
        assert "ExecBegin" in complaints(root)
    finally:
        unit.write_text(text)
