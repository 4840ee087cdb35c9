# SPDX-License-Identifier: MIT
TESTS += user_x86_32 user_riscv
user_x86_32_SRC := $(CORE_SRC)
user_x86_32_INCLUDES := kernel/arch/x86/32/user/user.c
user_x86_32_CFLAGS := $(addprefix -I$(ROOT)/kernel/,arch/x86/32/include arch/x86/include) \
                      -Wno-pointer-to-int-cast -Wno-int-to-pointer-cast
user_riscv_SRC := $(CORE_SRC)
user_riscv_INCLUDES := kernel/arch/riscv/user/user.c
user_riscv_CFLAGS := $(addprefix -I$(ROOT)/kernel/arch/riscv/,include 64/include) -DPAGES_64K=0
