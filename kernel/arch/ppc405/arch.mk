# SPDX-License-Identifier: MIT
# What this architecture adds to the build. -flto: seen whole, the kernel is a fifth smaller. Small variables are reached from r13, or
# from 0 (partition/shared.h), where the assembler warns of the section's attributes (-Wa,-W). Then passes, each measured: those that make this kernel longer, and some that here, unlike elsewhere, do not.
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
arch-vm := ppc405
# The hypercalls' description has a part for this shape.
arch-api := ppc405
# Kilobytes count: no symbol table in the image; reports give addresses, tools/gdb names.
arch-symbols := no
