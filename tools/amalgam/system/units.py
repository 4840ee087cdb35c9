# SPDX-License-Identifier: MIT
"""Sizes (64K, 768M, 4G) and times (50us, 10ms, 1s) as people write them."""

from __future__ import annotations

import re

SIZE_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
TIME_UNITS = {"us": 1, "ms": 1000, "s": 1000000}
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


def parse_size(text: str) -> int | None:
    """Bytes, or None when it is not a size."""
    match = re.fullmatch(r"(0x[0-9a-fA-F]{1,16}|\d{1,20})\s*([KMG]?)(?:iB|B)?", text.strip())
    return int(match[1], 0) * SIZE_UNITS[match[2]] if match else None


def parse_time_us(text: str) -> int | None:
    """Microseconds, or None when it is not a time or no whole number of microseconds. A bare 0 needs no unit."""
    if text.strip() == "0":
        return 0
    match = re.fullmatch(r"(\d{1,20})(?:\.(\d{1,20}))?\s*(us|ms|s)", text.strip())
    if not match:
        return None
    fraction = match[2] or ""
    scaled, rest = divmod(int(match[1] + fraction) * TIME_UNITS[match[3]], 10 ** len(fraction))
    return scaled if rest == 0 else None


def show_size(count: int) -> str:
    """The shortest exact writing."""
    for unit, factor in (("G", GIB), ("M", MIB), ("K", KIB)):
        if count and count % factor == 0:
            return f"{count // factor}{unit}"
    return str(count)


def show_time(us: int) -> str:
    """The shortest exact writing."""
    for unit, factor in (("s", 1000000), ("ms", 1000)):
        if us and us % factor == 0:
            return f"{us // factor}{unit}"
    return f"{us}us"
