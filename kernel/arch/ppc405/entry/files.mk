# SPDX-License-Identifier: MIT
files-y := alarm.c context.c deliver.c enter.S main.c pit.S start.S stop.c vectors.S
files-y += $(if $(CONFIG_PARAVIRT),syscall_hypercall.S hypercall_table.c,syscall.S)
files-$(and $(quick),$(CONFIG_PARAVIRT),$(CONFIG_PREVIRT)) += hypercall_fast.S
