# SPDX-License-Identifier: MIT
TESTS += mailbox
mailbox_SRC := kernel/mailbox/mailbox.c kernel/mailbox/request.c kernel/mailbox/send.c
mailbox_FIRST := -I$(ROOT)/kernel/board/scc/include -I$(ROOT)/tests/host/svm
# The address sanitizer has its own memory where the board shares its.
mailbox_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld -fno-sanitize=address
