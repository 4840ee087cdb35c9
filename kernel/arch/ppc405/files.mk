# SPDX-License-Identifier: MIT
# Each component of the paper's Fig. 2 is an option, and one of two files, or none. Frequent paths in assembly:
quick := $(and $(CONFIG_FAST),$(CONFIG_TLBV))
dirs-y := entry emulate mmu previrt
files-y := memops.c restore.S
files-y += $(if $(CONFIG_CONSOLE),report.c,report_none.c)
files-$(CONFIG_HEALTH) += memcpy.c
