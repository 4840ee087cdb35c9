# SPDX-License-Identifier: MIT
TESTS += svm_move
svm_move_SRC := $(addprefix kernel/svm/,alloc.c count.c fault.c meet.c member.c own.c region.c show.c sync.c twin.c wait.c moving/frame.c moving/move.c alone/append.c)
svm_move_FIRST := -I$(ROOT)/kernel/board/scc/include -I$(ROOT)/tests/host/svm -I$(ROOT)/kernel/svm/moving -I$(ROOT)/kernel/svm/alone
svm_move_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld -fno-sanitize=address
