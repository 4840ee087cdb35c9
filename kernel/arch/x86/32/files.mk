# SPDX-License-Identifier: MIT
files-y := context.c descriptors.c divide.c double_fault.c entry.S memops.c muldiv.c paging.c switch_software.S traps.S
# The switch of threads is counted (bench/exits).
fast-y := context.c
# The compiler itself calls these.
nolto-y := divide.c memops.c
