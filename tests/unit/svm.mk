# SPDX-License-Identifier: MIT
TESTS += svm
svm_SRC := $(addprefix kernel/svm/,alloc.c count.c fault.c meet.c member.c own.c region.c show.c sync.c twin.c wait.c alone/append.c)
svm_FIRST := -I$(ROOT)/kernel/board/scc/include -I$(ROOT)/tests/host/svm -I$(ROOT)/kernel/svm/fixed -I$(ROOT)/kernel/svm/alone
# The address sanitizer has its own memory where the board shares its.
svm_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld -fno-sanitize=address
