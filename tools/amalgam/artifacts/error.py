# SPDX-License-Identifier: MIT
"""What every module here raises when a piece cannot be made."""


class ArtifactError(Exception):
    """The text says what failed and what to do next."""


class NotFetchedError(ArtifactError):
    """A site that has the piece was not reached, or has it no more: nothing is wrong with what is here."""
