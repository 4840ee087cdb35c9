# SPDX-License-Identifier: MIT
files-y := alarm.c context.c deliver.c emulate.S emulate.c emulate_tables.c enter.S main.c memops.c pit.S restore.S spr.c start.S stop.c \
           vectors.S
# Each component of the paper's Fig. 2 is an option, and one of two files, or none.
quick := $(and $(CONFIG_FAST),$(CONFIG_TLBV))
files-y += $(if $(CONFIG_TLBV),mmu.c shadow.c tlb.c,real.c)
files-y += $(if $(CONFIG_PARAVIRT),syscall_hypercall.S hypercall_table.c,syscall.S)
files-$(CONFIG_PARAVIRT) += $(if $(quick),tlb_load.S tlb_load.c,tlb_load_none.S)
files-y += $(if $(quick),fast.c miss.S,miss_none.S)
files-y += $(if $(and $(quick),$(CONFIG_CONSOLE)),device.c device.S,device_none.S)
files-$(CONFIG_IRFM) += irfm.c
files-$(CONFIG_PREVIRT) += previrt.c
files-$(and $(CONFIG_FAST),$(CONFIG_PREVIRT)) += previrt_handler.c
files-$(and $(CONFIG_PREVIRT),$(call not,$(CONFIG_FAST))) += previrt_store.c
files-$(quick) += $(if $(CONFIG_PREVIRT),previrt_call.S,previrt_call_none.S)
files-$(and $(quick),$(CONFIG_PARAVIRT),$(CONFIG_PREVIRT)) += hypercall_fast.S
files-y += $(if $(CONFIG_DRIVER)$(CONFIG_IPCM),area.c,area_none.c)
files-$(CONFIG_CONSOLE) += report.c
files-$(CONFIG_HEALTH) += memcpy.c
