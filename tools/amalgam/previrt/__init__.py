# SPDX-License-Identifier: MIT
"""Pre-virtualization (docs/previrtualization.md): find privileged instructions in an ELF file, and what replaces them."""

from amalgam.previrt.patch import AREA, Patched, PrevirtError, Site, area_of, patch_elf

__all__ = ["AREA", "Patched", "PrevirtError", "Site", "area_of", "patch_elf"]
