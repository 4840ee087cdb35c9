# SPDX-License-Identifier: MIT
# Registers and nothing else (include/board): its devices are guests', or arch/ppc405's.
files-y :=
