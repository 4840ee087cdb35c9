# SPDX-License-Identifier: MIT
# One core, by parts: tests/host/svm/one_core.h is what they share.
TESTS += svm svm_meet svm_locks
svm_SRC := $(addprefix kernel/svm/,alloc.c count.c fault.c meet.c member.c own.c region.c show.c sync.c twin.c wait.c append.c)
svm_FIRST := -I$(ROOT)/kernel/board/scc/include -I$(ROOT)/tests/host/svm
# The address sanitizer has its own memory where the board shares its.
svm_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld -fno-sanitize=address
svm_meet_SRC := $(svm_SRC)
svm_meet_FIRST := $(svm_FIRST)
svm_meet_CFLAGS := $(svm_CFLAGS)
svm_locks_SRC := $(svm_SRC)
svm_locks_FIRST := $(svm_FIRST)
svm_locks_CFLAGS := $(svm_CFLAGS)
