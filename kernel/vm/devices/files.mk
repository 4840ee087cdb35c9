# SPDX-License-Identifier: MIT
# A device is a file here (PC_DEVICE of pc_devices.h). Guests in ring 1 have no I/O APIC.
files-y := $(filter-out $(if $(CONFIG_PARA),ioapic.c,ioapic_none.c),$(notdir $(wildcard $(K)/vm/devices/*.c)))
