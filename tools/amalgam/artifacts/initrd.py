# SPDX-License-Identifier: MIT
"""Initrds for the stock kernel: busybox, the modules a guest needs, our /init.

`shell` is the small one.  `bench` adds peerbench, kvmbench and the KVM modules;
`stress` adds stress-ng (40 MiB with its libraries); `tunnel` our UIO module and
amalgam-tunnel; `attach` KVM and modules to load and unload; `cards` the driver of RTL8139s, which /init leaves to who is
run.  All are plain cpio: a guest's boot should measure the kernel, not a decompressor.
"""

import lzma
from pathlib import Path

from . import apt, kernel, kmod, programs
from .cpio import Archive
from .elf import Elf
from .error import ArtifactError
from .store import Log, key, publish, recipe

INIT = Path(__file__).resolve().parents[3] / "guests/linux/init"

# Loaded by /init in groups, each when its devices are there (guests/linux/init).
GROUPS = {
    "mmio": ["virtio_mmio"],
    "pci": ["virtio_pci"],
    "devices": ["virtio_console", "virtio_blk", "virtio_net", "virtio-rng"],
    "disk": ["ext4", "squashfs", "overlay"],
    "uio": ["uio"],
}
BENCH_GROUPS = {"kvm": ["kvm-amd"]}
ATTACH_GROUPS = {"kvm": ["kvm-amd"], "load": ["dummy"], "tun": ["tun"]}
CARD_GROUPS = {"cards": ["8139cp"]}
VARIANTS = ("shell", "bench", "stress", "tunnel", "attach", "cards")


class Modules:
    """Module files of one kernel, by name, with what each depends on. What a kernel has built in needs no file."""

    def __init__(self, tree: Path):
        self.tree = tree
        self.files = {p.name.split(".ko")[0].replace("-", "_"): p for p in tree.rglob("*.ko*")}
        listed = tree / "modules.builtin"
        lines = listed.read_text().splitlines() if listed.is_file() else []
        self.builtin = {Path(line).name.split(".ko")[0].replace("-", "_") for line in lines}

    def data(self, name: str) -> bytes:
        path = self.files.get(name.replace("-", "_"))
        if path is None:
            raise ArtifactError(f"this kernel has no module {name} (looked in {self.tree})")
        raw = path.read_bytes()
        return lzma.decompress(raw) if path.suffix == ".xz" else raw

    def order(self, name: str) -> list[str]:
        """`name` after everything it needs. Soft dependencies are crypto providers: `pre:` ones are taken too."""
        if name.replace("-", "_") in self.builtin:
            return []
        info = Elf(self.data(name), name)
        needs = [d for field in info.modinfo("depends") for d in field.split(",") if d]
        for soft in info.modinfo("softdep"):
            words = soft.split("pre:")[-1].split("post:")[0].split() if "pre:" in soft else []
            needs += [w for w in words if w.replace("-", "_") in self.files]
        found = []
        for need in needs:
            found += [m for m in self.order(need) if m not in found]
        return found + [name.replace("-", "_")]


def _add_modules(archive: Archive, modules: Modules, groups: dict[str, list[str]]):
    for group, names in groups.items():
        order = []
        for name in names:
            order += [m for m in modules.order(name) if m not in order]
        for module in order:
            archive.file(f"lib/modules/{module}.ko", modules.data(module))
        archive.file(f"lib/modules/{group}.order", "".join(f"{m}\n" for m in order).encode())


def build(cache: Path, log: Log, variant: str = "shell", files: dict[str, Path] | None = None, meta: str = kernel.META) -> Path:
    """The initrd `variant` for the kernel `meta`; `files` maps names in the archive to host files that are added, executable."""
    if variant not in VARIANTS:
        raise ArtifactError(f"no initrd variant {variant!r}; there are {', '.join(VARIANTS)}")
    stock = kernel.find(cache, log, meta)
    busybox = apt.unpacked(cache, "busybox-static", log)
    extra = dict(files or {})
    groups = dict(GROUPS)
    trees = []
    if variant == "bench":
        groups |= BENCH_GROUPS
        extra |= {f"bin/{p.name}": p for p in programs.build_all(cache, log)}
    if variant == "attach":
        groups |= ATTACH_GROUPS
    if variant == "cards":
        groups |= CARD_GROUPS
    if variant == "stress":
        trees = programs.stress_ng(cache, log)
    if variant == "tunnel":
        extra["bin/amalgam-tunnel"] = programs.tunnel(cache, log)
        extra["lib/modules/amalgam_tunnel.ko"] = kmod.build(cache, log)
    name = key(
        recipe(__file__),
        INIT,
        stock.release,
        busybox.name,
        stock.vmlinuz,
        *(x for p in sorted(extra.items()) for x in p),
        *(x for t in trees for x in t),
        variant,
    )

    def make(target: Path):
        log(f"packing initrd ({variant})")
        archive = Archive()
        for directory in ("proc", "sys", "dev", "tmp", "run", "root", "mnt", "lib/modules"):
            archive.directory(directory)
        archive.character_device("dev/console", 5, 1)
        archive.file("init", INIT.read_bytes(), 0o755)
        archive.file("bin/busybox", apt.merged(busybox, "bin/busybox").read_bytes(), 0o755)
        archive.link("bin/sh", "busybox")
        _add_modules(archive, Modules(stock.modules), groups)
        for inside, path in sorted(extra.items()):
            archive.file(inside, path.read_bytes(), 0o755)
        for inside, path in trees:
            archive.file(inside, path.read_bytes(), 0o755)
        target.write_bytes(archive.bytes())

    return publish(Path(cache), f"initrd-{variant}-{name}.cpio", make)
