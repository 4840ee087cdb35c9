# SPDX-License-Identifier: MIT
TESTS += rate
rate_INCLUDES := kernel/arch/x86/boot/rate.c kernel/board/pc/clock.c
rate_CFLAGS := $(X86)
