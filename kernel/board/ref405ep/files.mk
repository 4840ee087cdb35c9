# SPDX-License-Identifier: MIT
files-y := irq.c
files-y += $(if $(CONFIG_CONSOLE),console.c,console_none.c) $(if $(CONFIG_DOORBELL),doorbell.c,doorbell_none.c)
