# SPDX-License-Identifier: MIT
files-y := dcr.c devices.c timers.c uic.c
files-$(CONFIG_PARAVIRT) += hypercall.c
files-$(CONFIG_HEALTH) += monitor.c
files-$(CONFIG_CONSOLE) += console_calls.c mmio.c uart.c
files-y += $(if $(CONFIG_DRIVER),lent.c,lent_none.c) $(if $(CONFIG_IPCM),tunnel.c,tunnel_none.c)
files-y += $(if $(and $(CONFIG_IPCM),$(CONFIG_IPCM_OPEN)),tunnel_open.c,tunnel_open_none.c)
files-$(and $(CONFIG_HEALTH),$(CONFIG_IPCM)) += withdraw.c
