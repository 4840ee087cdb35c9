# SPDX-License-Identifier: MIT
needs := $(CONFIG_VM)
threads := $(call not,$(CONFIG_PARTITIONS))
files-$(threads) += hypercall.c io.c run.c vm.c
files-$(if $(threads),$(CONFIG_DYNAMIC)) += vm_destroy.c
# Other kernels of the board have the same system.
files-$(threads) += $(if $(CONFIG_SCC),here.c,here_all.c)
# Where instructions are counted (bench/exits): the way of a byte to the UART.
fast-$(threads) += io.c run.c
# The folders of the machine that guests see.
dirs-y := $(arch-vm)
