# SPDX-License-Identifier: MIT
# What this architecture adds to the build. What depends on the width of a register is in 64/ and 32/.
arch-width := $(if $(CONFIG_64BIT),64,32)
include $(A)/$(arch-width)/width.mk
# medany: every address is reached from the program counter, so that the first instructions run before translation is on.
arch-cflags = $(width-cflags) -mcmodel=medany -msmall-data-limit=0 -I$(A)/$(arch-width)/include -I$(K)/board/$(BOARD)/include \
              -I$(K)/cache/riscv-marker
arch-vector = $(width-vector)
arch-ldflags := $(width-ldflags)
arch-libs = $(width-libs)
