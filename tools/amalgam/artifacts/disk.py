# SPDX-License-Identifier: MIT
"""A Debian disk: minbase with systemd, as a compressed squashfs.

The initrd's `amalgam.mode=disk` mounts it read-only below a tmpfs, so the guest
has a writable root while the image stays a constant payload in memory.
mmdebstrap works as root and, with /etc/subuid set up, as a user (--mode=auto
picks); its tar goes through tar2sqfs, so nothing of ours needs root.
"""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from . import apt
from .error import ArtifactError
from .store import Log, key, publish, recipe

SUITE = "bookworm"
PACKAGES = ("systemd", "systemd-sysv", "udev", "dbus", "iproute2", "iputils-ping", "procps", "kmod", "stress-ng")
EPOCH = 1767225600  # 2026-01-01: every file's time, so that two builds of the same packages are the same bytes
LIMIT = 350 << 20

# Logged in as root at once, on the serial port and on the virtio console; and a line that tells when the system is up.
SETUP = r"""
set -e
cd "$1"
for unit in serial-getty@ttyS0 serial-getty@hvc0; do
    mkdir -p etc/systemd/system/$unit.service.d
    printf '[Service]\nExecStart=\nExecStart=-/sbin/agetty --autologin root --noclear --keep-baud 115200 %%I vt220\n' \
        > etc/systemd/system/$unit.service.d/autologin.conf
done
cat > etc/systemd/system/amalgam-up.service <<'UNIT'
[Unit]
Description=Tell the console that the system is up
After=multi-user.target
[Service]
Type=oneshot
StandardOutput=tty
TTYPath=/dev/console
ExecStart=/bin/sh -c 'echo "amalgam-disk: $(. /etc/os-release; echo $PRETTY_NAME) up $(cut -d" " -f1 /proc/uptime) s"'
[Install]
WantedBy=default.target
UNIT
mkdir -p etc/systemd/system/default.target.wants
ln -sf ../amalgam-up.service etc/systemd/system/default.target.wants/
# What a throw-away guest has no use for costs boot time.
for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service \
            fstrim.timer systemd-timesyncd.service systemd-pstore.service systemd-networkd-wait-online.service proc-sys-fs-binfmt_misc.automount; do
    ln -sf /dev/null etc/systemd/system/$unit
done
echo "amalgam" > etc/hostname
printf '127.0.0.1 localhost amalgam\n' > etc/hosts
passwd --root "$1" --delete root >/dev/null
: > etc/fstab
: > etc/motd
touch root/.hushlogin
rm -rf var/lib/apt/lists/* var/cache/apt/*.bin var/log/*.log var/log/apt usr/share/man/* usr/share/doc/* \
       usr/share/locale/* usr/lib/x86_64-linux-gnu/dri
: > etc/machine-id
"""


def build(cache: Path, log: Log, packages: tuple[str, ...] = PACKAGES, suite: str = SUITE) -> Path:
    for tool, package in (("mmdebstrap", "mmdebstrap"), ("tar2sqfs", "squashfs-tools-ng")):
        if shutil.which(tool) is None:
            raise ArtifactError(f"{tool} is missing: install the package {package} (./amalgam setup does)")
    versions = []
    for package in packages:  # the versions are the content: a security update makes a new disk
        try:
            versions.append(apt.candidate(package)[0])
        except ArtifactError as error:
            log(f"disk: {error}")
    name = f"disk-{suite}-{key(recipe(__file__), suite, *packages, *versions)}.squashfs"

    def make(target: Path):
        log(f"building a Debian {suite} disk (1 to 3 minutes)")
        script = target.parent / "setup"
        script.write_text(f"#!/bin/sh{SETUP}")
        script.chmod(0o755)
        target.parent.chmod(0o755)  # in unshare mode the hook runs as another user
        tar = [
            "mmdebstrap",
            "--mode=auto",
            "--variant=minbase",
            "--format=tar",
            "--quiet",
            f"--include={','.join(packages)}",
            "--dpkgopt=path-exclude=/usr/share/man/*",
            "--dpkgopt=path-exclude=/usr/share/doc/*",
            "--dpkgopt=path-exclude=/usr/share/locale/*",
            '--aptopt=APT::Install-Recommends "false"',
            f"--customize-hook={script}",
            suite,
            "-",
        ]
        pack = [
            "tar2sqfs",
            "--quiet",
            "--force",
            "--no-skip",
            "--no-xattr",
            "--compressor",
            "zstd",
            "--defaults",
            f"mtime={EPOCH}",
            str(target),
        ]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH), "LC_ALL": "C.UTF-8"}
        command = f"set -o pipefail; {shlex.join(tar)} | {shlex.join(pack)}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment)
        if done.returncode:
            raise ArtifactError(
                f"the Debian disk cannot be built:\n{done.stderr.strip()[-2000:]}\n"
                "next: check that `apt-get update` works; as a user, that /etc/subuid has a range for you"
            )
        if target.stat().st_size > LIMIT:
            raise ArtifactError(f"the disk is {target.stat().st_size >> 20} MiB, more than {LIMIT >> 20}: leave out packages")

    return publish(Path(cache), name, make)
