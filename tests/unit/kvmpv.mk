# SPDX-License-Identifier: MIT
TESTS += kvmpv
kvmpv_SRC := kernel/vm/pc/kvmpv.c
kvmpv_CFLAGS := -I$(ROOT)/kernel/arch/x86_64/include -I$(ROOT)/kernel/vm/pc
