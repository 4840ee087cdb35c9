# SPDX-License-Identifier: MIT
# What this architecture adds to the build. -flto: seen whole, the kernel is a fifth smaller. Small variables are reached from r13, or
# from 0 (core/shared.h), where the assembler warns of the section's attributes (-Wa,-W). Then passes, each measured: those that make this kernel longer, and some that here, unlike elsewhere, do not.
arch-cflags = -m32 -mcpu=405 -msoft-float -mbig-endian -meabi -msdata=eabi -G 8192 -mmultiple -fno-section-anchors -fomit-frame-pointer -Wa,-W \
              -flto -flto-partition=one -fno-optimize-sibling-calls -fno-branch-count-reg -fno-expensive-optimizations \
              -fno-shrink-wrap -fno-move-loop-invariants \
              -fthread-jumps -ftree-dominator-opts -ftree-pre -ftree-loop-im -I$(K)/board/$(BOARD)/include
# Assembly files say r1 for register 1; what the compiler says for small data would not go with that.
arch-asflags := -mregnames
# stack_room: struct context, and the deepest path of calls below it (test_footprint_ppc405.py computes it).
arch-ldflags := --orphan-handling=error --enable-non-contiguous-regions \
                --defsym=stack_room=$(if $(CONFIG_HEALTH),576,$(if $(CONFIG_TLBV),480,336))
# Folders of the machine model for guests.
arch-vm := vm/ppc405
# Files here that only guests need: all of this port is for them.
arch-vm-only :=
# Turned into assembly names, not linked.
arch-drop := asm_offsets.c
# The hypercalls' description has a part for this shape.
arch-api := ppc405
# Components: each row of the paper's Fig. 2 is an option, and one of two files, or none.
shape-drop := $(if $(CONFIG_PARAVIRT),arch/ppc405/syscall.S,arch/ppc405/syscall_hypercall.S arch/ppc405/hypercall_table.c \
                                                           vm/ppc405/hypercall.c) \
              $(addprefix arch/ppc405/,$(if $(CONFIG_PARAVIRT),$(if $(and $(CONFIG_FAST),$(CONFIG_TLBV)),tlb_load_none.S,tlb_load.S tlb_load.c),tlb_load.S tlb_load.c tlb_load_none.S)) \
              $(if $(CONFIG_TLBV),arch/ppc405/real.c,arch/ppc405/mmu.c arch/ppc405/tlb.c) \
              $(if $(and $(CONFIG_FAST),$(CONFIG_TLBV)),arch/ppc405/miss_none.S arch/ppc405/fast_none.c,arch/ppc405/fast.c arch/ppc405/miss.S arch/ppc405/previrt_call.S arch/ppc405/previrt_call_none.S) \
              $(if $(and $(CONFIG_FAST),$(CONFIG_TLBV),$(CONFIG_CONSOLE)),arch/ppc405/device_none.c arch/ppc405/device_none.S, \
                                                                       arch/ppc405/device.c arch/ppc405/device.S) \
              arch/ppc405/$(if $(and $(CONFIG_FAST),$(CONFIG_PREVIRT)),previrt_handler_none,previrt_handler).c \
              arch/ppc405/$(if $(CONFIG_PREVIRT),$(if $(CONFIG_FAST),previrt_store,previrt_store_none),previrt_store).c \
              arch/ppc405/$(if $(CONFIG_DRIVER)$(CONFIG_IPCM),area_none,area).c \
              $(if $(and $(CONFIG_PARAVIRT),$(CONFIG_FAST),$(CONFIG_TLBV),$(CONFIG_PREVIRT)),,arch/ppc405/hypercall_fast.S) \
              $(if $(CONFIG_IRFM),arch/ppc405/irfm_none.c,arch/ppc405/irfm.c) \
              vm/ppc405/$(if $(CONFIG_DOORBELL),doorbell_none,doorbell).c \
              $(if $(CONFIG_DRIVER),vm/ppc405/lent_none.c,vm/ppc405/lent.c) \
              $(if $(CONFIG_PREVIRT),arch/ppc405/previrt_none.c arch/ppc405/previrt_call_none.S,\
                                   arch/ppc405/previrt.c arch/ppc405/previrt_call.S) \
              $(if $(CONFIG_IPCM),vm/ppc405/tunnel_none.c,vm/ppc405/tunnel.c) \
              vm/ppc405/$(if $(and $(CONFIG_IPCM),$(CONFIG_IPCM_OPEN)),tunnel_open_none,tunnel_open).c \
              $(if $(CONFIG_PREVIRT),core/partition/previrt_none.c,core/partition/previrt.c) \
              $(if $(CONFIG_HEALTH),core/partition/health_none.c core/partition/load_once.c, \
                                    core/partition/health.c core/partition/event.c core/partition/load.c vm/ppc405/monitor.c arch/ppc405/memcpy.c) \
              $(if $(and $(CONFIG_HEALTH),$(CONFIG_IPCM)),vm/ppc405/withdraw_none.c,vm/ppc405/withdraw.c) \
              $(if $(CONFIG_CONSOLE),arch/ppc405/report_none.c vm/ppc405/console_none.c, \
                                     arch/ppc405/report.c $(addprefix vm/ppc405/,console.c console_calls.c uart.c mmio.c)) \
              core/partition/$(if $(CONFIG_TABLE_CHECK),table_records_none,table_records).c \
              $(if $(CONFIG_FIXED_PRIORITY),core/partition/window.c,core/partition/fixed.c)
# Kilobytes count: no symbol table in the image; reports give addresses, tools/gdb names.
arch-symbols := no
