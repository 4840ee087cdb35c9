# SPDX-License-Identifier: MIT
"""What every module here raises when a piece cannot be made."""


class ArtifactError(Exception):
    """The text says what failed and what to do next."""
