# SPDX-License-Identifier: MIT
# What this architecture adds to the build.
# What depends on the width of a register is in a folder of its own, with a width.mk.
arch-width := $(if $(CONFIG_64BIT),64,32)
include $(A)/$(arch-width)/width.mk
arch-cflags = $(width-cflags) -mgeneral-regs-only -fcf-protection=none \
               -I$(A)/$(arch-width)/include -I$(K)/board/$(BOARD)/include $(arch-stack) \
               $(if $(CONFIG_SCC),-I$(K)/cache/i386-marker)
# Where the image lies, and how much higher it is linked. A pc has it one to one, at a place where guests hardly ever have
# code, so that a debugger's breakpoint in the kernel is in no guest; beneath Linux it lies somewhere. A 32-bit kernel has no
# guests.
arch-image := $(if $(CONFIG_ATTACH),IMAGE_BASE=0xffffffff80000000 IMAGE_AT=0x100000,IMAGE_BASE=0 \
                $(if $(CONFIG_64BIT),IMAGE_AT=0xd00000,IMAGE_AT=0x100000))
arch-ldflags := $(width-ldflags) $(arch-image:%=--defsym=%) $(if $(CONFIG_ATTACH),-e attach_init_entry)$(if $(CONFIG_SCC),-e start_scc)
# Folders of guests' machine.
arch-vm := devices pc load virtio
# A kernel that virtualizes itself: the functions on the hardware are linked under other names, since attach/self/object.c
# and selfvirt/layer.c have functions with theirs. FILE:NAME=OTHER; the others are declared in selfvirt/layer.h.
selfvirt-native := arch/x86/cpu/time.c:hal_timer_arm=native_timer_arm \
               arch/x86/cpu/apic.c:apic_eoi=native_eoi arch/x86/cpu/apic.c:hal_stop_others=native_stop_others \
               arch/x86/cpu/apic.c:hal_ipi_resched=native_ipi_resched \
               arch/x86/cpu/traps.c:trap_dispatch=native_trap_dispatch \
               board/pc/console.c:hal_console_put=native_console_put board/pc/console.c:hal_console_irqs=native_console_irqs \
               board/pc/console.c:hal_console_getc=native_console_getc board/pc/power.c:hal_power_off=native_power_off
# The serial ports of an SCC are core 0's, and so is the clock: board/scc/console.c, clock.c have the names.
scc-native := arch/x86/cpu/time.c:time_init=time_measure board/pc/console.c:hal_console_put=uart_put board/pc/console.c:hal_console_irqs=uart_irqs \
              board/pc/console.c:hal_console_getc=uart_getc board/pc/console.c:hal_console_present=uart_present
arch-native := $(if $(CONFIG_SELFVIRT),$(selfvirt-native))$(if $(CONFIG_SCC),$(scc-native))
# What the board takes besides the ELF file.
arch-images := $(if $(CONFIG_ATTACH)$(CONFIG_SCC),amalgam.bin)$(if $(CONFIG_SCC), reset.bin)
