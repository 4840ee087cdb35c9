# SPDX-License-Identifier: MIT
files-y := $(if $(CONFIG_TLBV),mmu.c shadow.c tlb.c,real.c)
files-y += $(if $(quick),fast.c miss.S,miss_none.S)
files-y += $(if $(and $(quick),$(CONFIG_CONSOLE)),device.c device.S,device_none.S)
files-y += $(if $(CONFIG_DRIVER)$(CONFIG_IPCM),area.c,area_none.c)
files-$(CONFIG_IRFM) += irfm.c
files-$(CONFIG_PARAVIRT) += $(if $(quick),tlb_load.S tlb_load.c,tlb_load_none.S)
