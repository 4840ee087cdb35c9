# SPDX-License-Identifier: MIT
# What this architecture adds to the build. What depends on the width of a register is in 64/ and 32/.
arch-width := $(if $(CONFIG_64BIT),64,32)
include $(A)/$(arch-width)/width.mk
# medany: every address is reached from the program counter, so that the first instructions run before translation is on.
# natural: strings need no alignment (they would get that of a register: 576 bytes).
arch-cflags = $(width-cflags) -mcmodel=medany -msmall-data-limit=0 -malign-data=natural -I$(A)/$(arch-width)/include \
              -I$(K)/board/$(BOARD)/include -I$(K)/cache/riscv-marker
# Kernel stacks of 8 KiB, or of 4 where the deepest call takes little (tests/tools/test_stack_depth.py).
stack-shift := $(if $(CONFIG_SMALL_STACKS),12,13)
arch-cflags += -DHAL_STACK_SHIFT=$(stack-shift) -DPAGES_64K=$(if $(CONFIG_PAGES_64K),1,0) \
               -DDRIVEN=$(if $(CONFIG_DEVICE),1,0)
# What process/fast_kept.c is compiled with: it changes a0, t0, t1, t2 and ra (user/entry.S).
arch-kept := $(addprefix -fcall-saved-,a1 a2 a3 a4 a5 a6 a7 t3 t4 t5 t6)
# Who calls whom with how large frames: a file beside stage1.elf.
arch-calls := -fcallgraph-info=su
arch-vector = $(width-vector)
arch-ldflags := $(width-ldflags) --defsym=STACK_SIZE=$(if $(CONFIG_SMALL_STACKS),4096,8192)
arch-libs = $(width-libs)
