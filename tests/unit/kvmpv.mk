# SPDX-License-Identifier: MIT
TESTS += kvmpv
kvmpv_SRC := kernel/vm/pc/kvmpv.c
kvmpv_CFLAGS := $(X86) -I$(ROOT)/kernel/vm/pc
