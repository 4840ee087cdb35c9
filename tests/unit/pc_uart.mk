# SPDX-License-Identifier: MIT
TESTS += pc_uart
pc_uart_INCLUDES := kernel/board/pc/uart.c
pc_uart_CFLAGS := $(X86) -I$(ROOT)/kernel/board/pc
