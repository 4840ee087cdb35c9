# SPDX-License-Identifier: MIT
TESTS += firmware_console
firmware_console_INCLUDES := firmware/manycore/console.c
firmware_console_CFLAGS := -I$(ROOT)/firmware/manycore
