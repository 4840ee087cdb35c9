# SPDX-License-Identifier: MIT
"""A domain's devices from YAML to the model: which keys each kind has, and their values."""

from __future__ import annotations

import re

import yaml

from amalgam.system import model
from amalgam.system.model import Device, DeviceType
from amalgam.system.reader import NAMES, Map, file_ref, names
from amalgam.system.units import GIB

DEVICE_KEYS = {
    DeviceType.UART: ("type", "port"),
    DeviceType.CONSOLE: ("type", "slot"),
    DeviceType.BLOCK: ("type", "slot", "image", "backend", "size", "readonly"),
    DeviceType.NET: ("type", "slot", "net", "mac"),
    DeviceType.RNG: ("type", "slot"),
    DeviceType.PC: ("type",),
}
SECTOR = 512


def read_device(domain: Map, node: yaml.Node) -> Device | None:
    every = sorted({key for keys in DEVICE_KEYS.values() for key in keys})
    m = Map(domain.file, node, f"a device of {domain.what}", every, domain.diag)
    if not isinstance(node, yaml.MappingNode) or not m.require("type", f"say one of {', '.join(names(DeviceType))}"):
        return None
    word = m.choice("type", "", names(DeviceType))
    if not word:
        return None
    kind = DeviceType[word.upper()]
    for key in m.nodes:
        if key not in DEVICE_KEYS[kind]:
            m.diag.error(m.keys[key], f"a '{word}' device has no '{key}'", f"its keys are {', '.join(DEVICE_KEYS[kind])}")
    slot = None
    if kind == DeviceType.UART:
        slot = int(m.choice("port", "COM1", ("COM1", "COM2", "COM3", "COM4"))[3]) - 1
    elif m.has("slot"):
        slot = m.integer("slot", 0, 0, model.MAX_SLOTS - 1)
    if kind == DeviceType.BLOCK:
        check_disk(m)
    return Device(
        m.mark,
        {key: m.at(key) for key in m.nodes},
        kind,
        slot,
        m.flag("readonly", False),
        m.integer("net", 0, 0, 7),
        m.converted("mac", bytes(6), "an address like 52:54:00:12:34:56, no multicast one", parse_mac),
        file_ref(m, "image"),
        m.converted("backend", "", NAMES.rule, NAMES.accept),
        m.size("size", 0, SECTOR, 1024 * GIB, SECTOR),
    )


def check_disk(m: Map) -> None:
    """An image, or the back end that has it."""
    if not m.has("backend"):
        m.require("image", "name the file that it shows: 'image: disk.img' or 'image: debian:disk'")
        if m.has("size"):
            m.diag.error(m.at("size"), "the image says how large the disk is", "'size' goes with 'backend'")
        return
    if m.has("image"):
        m.diag.error(m.at("image"), "the disk has a back end and an image", "leave one out")
    m.require("size", "say how large the disk is: 'size: 64M'")


def parse_mac(text: str) -> bytes | None:
    if not re.fullmatch(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}", text):
        return None
    mac = bytes.fromhex(text.replace(":", ""))
    return mac if any(mac) and not mac[0] & 1 else None
