# SPDX-License-Identifier: MIT
files-y := hypercall.c io.c run.c vm.c
files-$(CONFIG_DYNAMIC) += vm_destroy.c
# Where instructions are counted (bench/exits): the way of a byte to the UART.
fast-y := io.c run.c
