# SPDX-License-Identifier: MIT
# What this architecture adds to the build.
arch-cflags = -m64 -march=x86-64 -mcmodel=$(if $(CONFIG_ATTACH),kernel,small) -mno-red-zone -mgeneral-regs-only -fcf-protection=none \
               -I$(K)/board/$(BOARD)/include $(arch-stack)
# Nothing but vector code wants stacks aligned to 16, and that aligns its own.
arch-stack := -mpreferred-stack-boundary=3
arch-vector := -msse2 -mincoming-stack-boundary=3
# Where the image lies, and how much higher it is linked. A pc has it one to one, at a place where guests hardly ever have
# code, so that a debugger's breakpoint in the kernel is in no guest; beneath Linux it lies somewhere.
arch-image := $(if $(CONFIG_ATTACH),IMAGE_BASE=0xffffffff80000000 IMAGE_AT=0x100000,IMAGE_BASE=0 IMAGE_AT=0xd00000)
arch-ldflags := -m elf_x86_64 $(arch-image:%=--defsym=%) $(if $(CONFIG_ATTACH),-e attach_init_entry)
# Code that the compiler itself calls.
arch-nolto := arch/x86_64/memops.c
# Folders of the machine model for guests.
arch-vm := vm/pc vm/load vm/virtio
# Files here that only guests need.
arch-vm-only := amdv.c amdv_setup.c amdv_event.c amdv_exit.c amdv_debug.c amdv_entry.S amdv_check.c amdv_nocheck.c $(if $(CONFIG_SELFVIRT),,npt.c) decode.c
# One of two files each.
arch-drop := $(if $(CONFIG_AMDV_CHECKED),amdv_nocheck.c,amdv_check.c) $(if $(CONFIG_DYNAMIC),init_drop.c,init_keep.c)
# Two ways in: from a boot loader with the machine to ourselves, or from a Linux that goes on above us.
arch-boot := entry.S main.c smp.c trampoline.S machine.c acpi.c boot_parse.c multiboot2.c pvh.c time_reference.c trap_fatal.c park.c
arch-drop += $(if $(CONFIG_ATTACH),$(arch-boot),$(notdir $(wildcard $(A)/attach*)))
# Where instructions are counted (bench/exits): null hypercall, yield to another guest, the way of a byte
# to the UART.
arch-hot := $(addprefix arch/x86_64/,amdv.c amdv_event.c amdv_exit.c context.c) \
            $(if $(CONFIG_ATTACH),$(addprefix arch/x86_64/,attach_enter.c attach_exit.c attach_apic.c attach_fetch.c) attach/call.c) \
            $(addprefix vm/,io.c run.c pc/lapic.c pc/pc.c)
# A kernel that virtualizes itself: these files, and the functions on the hardware linked under other names, since
# attach/self/object.c and selfvirt.c have functions with theirs. FILE:NAME=OTHER; the others are declared in arch/selfvirt.h.
selfvirt := $(notdir $(wildcard $(A)/selfvirt*))
arch-drop += $(if $(CONFIG_SELFVIRT),,$(selfvirt)) $(if $(CONFIG_SELFVIRT_TEST),,selfvirt_test.c)
arch-native := arch/x86_64/time.c:hal_timer_arm=native_timer_arm \
               arch/x86_64/apic.c:apic_eoi=native_eoi arch/x86_64/apic.c:hal_stop_others=native_stop_others \
               arch/x86_64/apic.c:hal_ipi_resched=native_ipi_resched \
               arch/x86_64/traps.c:trap_dispatch=native_trap_dispatch \
               board/pc/console.c:hal_console_put=native_console_put board/pc/console.c:hal_console_irqs=native_console_irqs \
               board/pc/console.c:hal_console_getc=native_console_getc board/pc/power.c:hal_power_off=native_power_off
