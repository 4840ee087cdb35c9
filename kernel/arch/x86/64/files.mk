# SPDX-License-Identifier: MIT
files-y := context.c descriptors.c memops.c muldiv.c paging.c traps.S
files-$(call not,$(CONFIG_ATTACH)) += long_mode.S
# A yield to another guest is counted (bench/exits).
fast-y := context.c
# The compiler itself calls these.
nolto-y := memops.c
dirs-$(CONFIG_PROCESS) += user
