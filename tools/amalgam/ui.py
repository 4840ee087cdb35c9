# SPDX-License-Identifier: MIT
"""What a person sees while something runs: one progress line on a terminal, plain lines elsewhere, tables at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from amalgam.errors import visible

Progress = Callable[[str], None]


def say(text: str) -> None:
    """A line to the person, never mixed into a command's output (stderr)."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def working(title: str, quiet: bool = False) -> Iterator[Progress]:
    """Show that `title` is going on; call the yielded function with what it is at now."""
    if quiet:
        yield lambda _text: None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.text import Text

        with Console(stderr=True).status(Text(title)) as status:
            yield lambda text: status.update(Text(f"{title}: {text}"))
    else:
        say(f"{title} ...")
        yield lambda text: say(f"  {text}")


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table on stdout; numbers are set flush right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    made = Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD)
    for index, column in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[index], (int, float)) or row[index] in (None, "") for row in rows)
        made.add_column(Text(column), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        made.add_row(*(Text(visible(number(cell))) for cell in row))
    width = None if sys.stdout.isatty() else 160
    Console(width=width, highlight=False).print(made)


def number(value: object) -> str:
    """A cell's text: thousands separated, None empty. Just above 1 a ratio has the decimals that it has just below."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    digits = 5 if 1 <= abs(value) < 2 else 4
    return f"{value:,.{digits}g}" if abs(value) < 1000 else f"{value:,.1f}"
