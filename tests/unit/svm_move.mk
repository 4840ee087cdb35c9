# SPDX-License-Identifier: MIT
TESTS += svm_move
svm_move_SRC := $(addprefix kernel/svm/,alloc.c count.c fault.c meet.c member.c own.c region.c show.c sync.c twin.c wait.c frame.c move.c append.c)
svm_move_FIRST := -I$(ROOT)/kernel/board/scc/include -I$(ROOT)/tests/host/svm
svm_move_CFLAGS := -DSVM_MOVES=1 -Wl,-T,$(ROOT)/tests/host/initcalls.ld -fno-sanitize=address
