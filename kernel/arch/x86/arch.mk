# SPDX-License-Identifier: MIT
# What this architecture adds to the build.
# What depends on the width of a register is in a folder of its own, with a width.mk.
arch-width := $(if $(CONFIG_64BIT),64,32)
include $(A)/$(arch-width)/width.mk
arch-cflags = $(width-cflags) -mgeneral-regs-only -fcf-protection=none \
               $(if $(CONFIG_VMX_AND_AMDV),,$(if $(CONFIG_VMX),-I$(A)/vmx/include)) -I$(A)/$(arch-width)/include -I$(K)/board/$(BOARD)/include $(arch-stack) \
               $(if $(CONFIG_SCC),-I$(K)/cache/i386-marker)
# Where the image lies, and how much higher it is linked. A pc has it one to one, at a place where guests hardly ever have
# code, so that a debugger's breakpoint in the kernel is in no guest; beneath Linux it lies somewhere. Guests of a 32-bit
# kernel are in other tables than itself.
arch-image := $(if $(CONFIG_ATTACH),IMAGE_BASE=0xffffffff80000000 IMAGE_AT=0x100000,IMAGE_BASE=0 \
                $(if $(CONFIG_64BIT),IMAGE_AT=0xd00000,IMAGE_AT=0x100000))
arch-ldflags := $(width-ldflags) $(arch-image:%=--defsym=%) $(if $(CONFIG_ATTACH),-e attach_init_entry)$(if $(CONFIG_SCC),-e start_scc)
# Folders of guests' machine.
arch-vm := $(if $(CONFIG_PARA),para devices load virtio,devices pc load virtio)
# What is compiled for each of two back ends (kernel/twins.mk).
arch-twins := $(CONFIG_VMX_AND_AMDV)
# What runs at boot only is on pages of its own, with a table of its own.
arch-symtab := --init-apart
# What the board takes besides the ELF file.
arch-images := $(if $(CONFIG_ATTACH)$(CONFIG_SCC),amalgam.bin)$(if $(CONFIG_SCC), reset.bin)
