# SPDX-License-Identifier: MIT
files-y := context.c descriptors.c divide.c double_fault.c entry.S paging.c threads.S
files-$(call not,$(CONFIG_PROCESS)) += traps.S
dirs-$(CONFIG_PROCESS) += user
# Two ways to switch threads.
files-y += $(if $(CONFIG_HARDWARE_SWITCH),switch_hardware.c switch_hardware.S,switch_software.c switch_software.S)
# Pages that come and go, and arithmetic that is the same everywhere.
files-$(CONFIG_SVM) += aperture.c precision.c
files-$(CONFIG_NATIVE_PROGRAMS) += thread_pointer.c
# Other cores of the same kernel.
files-$(call not,$(CONFIG_SCC)) += join.S
# The switch of threads is counted (bench/exits).
fast-y := context.c switch_hardware.c switch_software.c
# The compiler itself calls these.
nolto-y := divide.c
