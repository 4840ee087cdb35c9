# SPDX-License-Identifier: MIT
"""The tagged channel (kernel/include/core/console.h): many speakers on one line. 0xff and an id say whose bytes
follow; 0xff 0xff is the byte 0xff itself."""

from __future__ import annotations

from collections.abc import Iterator

TAG = 0xFF
KERNEL = 0xFE


class Splitter:
    """Takes the line's bytes in pieces of any size and gives back (source, bytes) runs."""

    def __init__(self, source: int | None = None) -> None:
        self.source = source  # whose the bytes before the first tag are: by default nobody's
        self.tagged = False

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        run = bytearray()
        for byte in data:
            if self.tagged:
                self.tagged = False
                if byte == TAG:
                    run.append(TAG)
                else:
                    if run and self.source is not None:
                        yield self.source, bytes(run)
                    run.clear()
                    self.source = byte
            elif byte == TAG:
                self.tagged = True
            elif self.source is not None:
                run.append(byte)
        if run and self.source is not None:
            yield self.source, bytes(run)


def framed(source: int, data: bytes) -> bytes:
    """What to send so that `source` gets `data`."""
    return bytes((TAG, source)) + data.replace(b"\xff", b"\xff\xff")
