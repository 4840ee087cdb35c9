# SPDX-License-Identifier: MIT
TESTS += rate
rate_INCLUDES := kernel/arch/x86/boot/rate.c kernel/board/pc/clock.c
rate_CFLAGS := $(X86)
TESTS += calibrate
calibrate_INCLUDES := kernel/arch/x86/cpu/time.c
calibrate_CFLAGS := -include $(ROOT)/tests/host/attach_host.h $(X86)
