# SPDX-License-Identifier: MIT
files-y := bell.c clock.c console.c entry.S gic.c info.c interrupt.c main.c power.c reader.c ring.c watch.c ../pc/uart.c
# The way in from a boot loader on a PC.
files-y += pc.c pc.S ../../arch/x86/boot/acpi.c ../../arch/x86/boot/multiboot2.c ../../arch/x86/boot/parse.c
# For drivers that are processes.
files-$(CONFIG_DEVICE) += ../pc/pci.c ../pc/pci_config.c ../pc/pci_ports.c pci_piix3.c
# Not in the lean kernel.
files-$(CONFIG_MAIL) += hurry.c registers.c restart.c
files-y += $(if $(CONFIG_MAIL),,mail_none.c) $(if $(CONFIG_SVM),,svm_none.c) $(if $(CONFIG_VM),,net_none.c)
