# SPDX-License-Identifier: MIT
"""Who sent messages to whom (amalgam.measure.traffic, parties), as a picture: clusters, and beside them their programs, servers among them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from amalgam.measure.parties import Message, Parties, Party, matrix
from amalgam.measure.traffic import Traffic
from amalgam.measure.traffic import matrix as of_clusters
from amalgam.system.clusters.model import ClusterSystem


def cells(axes: Any, labels: list[str], counts: list[list[int]], more: list[list[int]] | None = None) -> Any:
    """A field for each pair, from the row to the column; `more` stands below its number."""
    image = axes.imshow(counts, cmap="viridis")
    axes.set(xlabel="to", ylabel="from")
    axes.set_xticks(range(len(labels)), labels, rotation=90)
    axes.set_yticks(range(len(labels)), labels)
    brightest = max(map(max, counts))
    for sender, row in enumerate(counts):
        for to, count in enumerate(row):
            colour = "white" if count < brightest / 2 else "black"
            text = f"{count}\n+{more[sender][to]}" if more and more[sender][to] else str(count)
            axes.text(to, sender, text, ha="center", va="center", color=colour, fontsize=8)
    return image


def borders(axes: Any, who: list[Party]) -> None:
    """Lines between clusters."""
    for at, (one, other) in enumerate(pairwise(who)):
        if one.cluster != other.cluster:
            axes.axhline(at + 0.5, color="white", linewidth=1)
            axes.axvline(at + 0.5, color="white", linewidth=1)


def embolden(axes: Any, who: list[Party], parties: Parties) -> None:
    """The names of servers."""
    for ticks in (axes.get_xticklabels(), axes.get_yticklabels()):
        for label, party in zip(ticks, who, strict=True):
            label.set_fontweight("bold" if party in parties.servers else "normal")


def draw(system: ClusterSystem, made: Traffic, parties: Parties, messages: Iterable[Message], target: Path) -> None:
    """Signals stand below messages. What programs have sent is drawn where a program has sent anything, or there is a server."""
    from amalgam.measure.drawing import pyplot

    plt = pyplot()
    labels = [c.name for c in system.clusters]
    who, counts = matrix(parties, messages)
    sizes = [2 + 0.55 * len(labels), *([3.5 + 0.55 * len(who)] if who else [])]
    figure, fields = plt.subplots(
        1, len(sizes), figsize=(sum(sizes) + len(sizes), max(sizes)), width_ratios=sizes, squeeze=False, layout="constrained"
    )
    fields[0][0].set_title("messages (+ signals)\nbetween clusters", fontsize=10)
    figure.colorbar(
        cells(fields[0][0], labels, of_clusters(made.messages, len(labels)), of_clusters(made.signals, len(labels))), shrink=0.7
    )
    if who:
        axes = fields[0][1]
        axes.set_title("messages between programs\n(servers in bold letters)", fontsize=10)
        figure.colorbar(cells(axes, [parties.label(party) for party in who], counts), shrink=0.7)
        borders(axes, who)
        embolden(axes, who, parties)
    figure.suptitle(system.name)
    figure.savefig(target, dpi=120, metadata={"Software": None})
    plt.close(figure)
