# SPDX-License-Identifier: MIT
files-y := $(if $(CONFIG_NO_SYMBOLS),callers_unknown.c,backtrace.c) context.c entropy.c found.c fpu.S idle.c ipi.c memops.c muldiv.c paging.c sbi.c stack.c switch.S time.c traps.S traps.c
files-y += $(if $(CONFIG_CLUSTER),,noc_none.c)
files-$(CONFIG_DEVICE_FIRMWARE) += sbi_device.c
files-y += $(if $(CONFIG_DYNAMIC),init_keep.c,init_drop.c)
# The compiler itself calls these.
nolto-y := memops.c
