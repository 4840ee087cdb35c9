# SPDX-License-Identifier: MIT
"""What pyelftools raises for a file whose words are not true: it looks up, reads and calls whatever they name."""

from __future__ import annotations

from elftools.common.exceptions import ELFError

DAMAGE = (ELFError, ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RecursionError, TypeError, ValueError)


def reason(error: BaseException) -> str:
    """In a few words."""
    return str(error) if isinstance(error, ELFError | OSError) and str(error) else "its headers contradict each other"
