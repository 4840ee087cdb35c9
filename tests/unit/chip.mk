# SPDX-License-Identifier: MIT
TESTS += chip
chip_SRC := kernel/chip/chip.c kernel/chip/guest.c kernel/chip/info.c kernel/chip/mail.c kernel/chip/svm.c kernel/process/part.c
chip_FIRST := -Wno-int-to-pointer-cast -I$(ROOT)/kernel/board/scc/include -I$(ROOT)/kernel/arch/x86/32/include -I$(ROOT)/kernel/arch/x86/include
# The address sanitizer has its own memory where the board shares its.
chip_CFLAGS := -DCHIP_GUESTS=1 -I$(OUT)/include -Wl,-T,$(ROOT)/tests/host/initcalls.ld -fno-sanitize=address
$(OUT)/test_chip: $(OUT)/include/generated/scc_calls.h $(OUT)/include/generated/para_calls.h
chip_LEVEL := -O1
