# SPDX-License-Identifier: MIT
TESTS += uart
uart_SRC := kernel/vm/pc/uart.c tests/host/fake_vm.c
