# SPDX-License-Identifier: MIT
"""What files cost a program: those of its own tree, and a server's, beside Linux' tmpfs."""

from __future__ import annotations

from amalgam import paths
from amalgam.artifacts import initrd, programs
from amalgam.measure.benches import Context, Row
from amalgam.measure.counted import Run, run_bare, run_guest, stored

SAMPLES = 1000
PROGRAM = "filecost"
DONE = f"{PROGRAM}: done"
ROWS = {
    "read-4k": "4 KiB by pread() of a file of 64 KiB",
    "write-4k": "4 KiB by pwrite() over what is there",
    "read-1": "one byte by pread(): what a call costs without its copy",
    "open-close": "a file with three names in its path",
    "stat": "the same file",
    "create-unlink": "a new file there, closed and removed",
}


def linux(ctx: Context) -> Run:
    """The same program under stock Linux on the bare board, whose root is a tmpfs; kept, as it changes only with Debian."""

    def measure() -> Run:
        made = programs.compile_static(paths.CACHE, paths.BENCH / "files" / "programs" / f"{PROGRAM}.c", ctx.progress)
        image = initrd.build(paths.CACHE, ctx.progress, "bench", {f"bin/{PROGRAM}": made})
        return run_bare(ctx, PROGRAM, image, name="linux-files", done=DONE)

    return stored(ctx, "linux-files", measure)


def rows(run: Run, peer: Run, prefix: str = "") -> list[Row]:
    return [
        Row(
            prefix + name,
            run.need(name, SAMPLES).mid,
            "instructions",
            None,
            f"Linux tmpfs {peer.need(name, SAMPLES).mid:,}",
            f"{run.how}: {what}, median of {SAMPLES}",
        )
        for name, what in ROWS.items()
    ]


def run(ctx: Context) -> list[Row]:
    peer = linux(ctx)
    own = run_guest(ctx, "library.yaml", DONE, "cost", 120)
    others = run_guest(ctx, "server.yaml", DONE, "cost", 120)
    return [*rows(own, peer), *rows(others, peer, "server-")]
