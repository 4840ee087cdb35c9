# SPDX-License-Identifier: MIT
files-y := apic_access.c context.c descriptors.c muldiv.c paging.c switch.S
files-$(call not,$(CONFIG_ATTACH)) += long_mode.S
files-$(call not,$(CONFIG_PROCESS)) += traps.S
# A yield to another guest is counted (bench/exits).
fast-y := context.c
dirs-$(CONFIG_PROCESS) += user
