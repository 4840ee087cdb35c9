# SPDX-License-Identifier: MIT
TESTS += svm_guest
svm_guest_SRC := kernel/svm/keep.c kernel/svm/guest.c
svm_guest_FIRST := -I$(ROOT)/kernel/board/scc/include
# The address sanitizer has its own memory where the board shares its.
svm_guest_CFLAGS := -DSVM_KEEP=1 -fno-sanitize=address
