# SPDX-License-Identifier: MIT
TESTS += scc_life
scc_life_SRC := kernel/board/scc/info.c $(addprefix kernel/mail/,receive.c request.c send.c)
scc_life_FIRST := -I$(ROOT)/kernel/board/scc/include -I$(ROOT)/tests/host/svm
# board/image.h has what the host memory.h has, too; the address sanitizer has its own memory where the board shares its.
scc_life_CFLAGS := -DLUT_ENTRIES=256 -DLUT_SHIFT=24 -Wl,-T,$(ROOT)/tests/host/initcalls.ld -fno-sanitize=address
