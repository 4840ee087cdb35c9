# SPDX-License-Identifier: MIT
"""Where it cannot work it says so, with the reason and a next step, and leaves the machine as it was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from linuxhost import Host

pytestmark = pytest.mark.beside

REFUSED = 3


@pytest.fixture(scope="module")
def host(boot_linux: Any) -> Iterator[Host]:
    """Its processor says that a hypervisor is below, as this emulator's usually do."""
    with boot_linux(cpu="EPYC,+svm", cores=2, memory=256 << 20, accel="tcg,thread=single") as host:
        yield host


@pytest.fixture(autouse=True)
def clean(host: Host) -> None:
    host.bare()
    host.ok("modprobe amalgam nested=1")


def test_a_hypervisor_below(host: Host) -> None:
    host.ok("rmmod amalgam")
    host.refused("amalgam load", "a hypervisor is below already.*nested=1", REFUSED)
    host.ok("rmmod amalgam; amalgam load --nested; amalgam attach; amalgam detach; amalgam unload")


def test_kvm_in_use(host: Host) -> None:
    """While a virtual machine of KVM exists; without one KVM's modules are no hindrance (6.12 has a parameter for that, 6.1 ignores it)."""
    host.ok("while read -r m; do insmod /lib/modules/$m.ko enable_virt_at_load=0; done </lib/modules/kvm.order; amalgam load")
    host.ok("kvm-holder 600 & while ! [ -e /tmp/kvm-held ]; do usleep 20000; done")
    host.refused("amalgam attach", "KVM or another hypervisor uses AMD-V on CPU 0.*\n.*modprobe -r kvm_amd", REFUSED)
    host.ok("amalgam unload")
    host.refused("amalgam load", "KVM or another hypervisor", REFUSED)
    host.ok("kill $(cat /tmp/kvm-held); while pidof kvm-holder; do usleep 20000; done; amalgam load; amalgam attach")
    assert host.run("kvm-holder 0")[1] != 0  # and KVM finds AMD-V in use by us,
    host.run("rmmod kvm_amd; insmod /lib/modules/kvm_amd.ko")
    assert host.run("kvm-holder 0")[1] != 0  # also one that is loaded now
    host.ok("amalgam detach; amalgam unload")
    host.known |= set(host._log())


def test_too_little_memory(host: Host) -> None:
    host.refused("amalgam load --heap 64G", "more than the kernel can be loaded with.*\n.*--heap")
    host.refused("amalgam load --heap 248M", "MiB are available.*\n.*--heap")
    host.ok("amalgam load; amalgam unload")


def test_others_than_root(host: Host) -> None:
    host.ok("echo nobody:x:65534:65534::/:/bin/sh >/etc/passwd; chmod 755 /bin/amalgam")
    host.refused("su nobody -c '/bin/amalgam attach'", "Permission denied.*\n.*run it as root")
    host.ok("chmod 666 /dev/amalgam")
    host.refused("su nobody -c '/bin/amalgam attach'", "/dev/amalgam: Permission denied.*\n.*run it as root")
    host.ok("chmod 600 /dev/amalgam")


def test_a_locked_down_linux(host: Host) -> None:
    host.ok("mount -t securityfs s /sys/kernel/security; echo integrity >/sys/kernel/security/lockdown")
    host.refused("amalgam load", "locked down", REFUSED)
