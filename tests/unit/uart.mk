# SPDX-License-Identifier: MIT
TESTS += uart
uart_SRC := kernel/vm/devices/uart.c tests/host/fake_vm.c
