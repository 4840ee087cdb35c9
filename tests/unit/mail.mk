# SPDX-License-Identifier: MIT
TESTS += mail
mail_SRC := kernel/mail/receive.c kernel/mail/request.c kernel/mail/send.c
mail_FIRST := -I$(ROOT)/kernel/board/scc/include -I$(ROOT)/tests/host/svm
# The address sanitizer has its own memory where the board shares its.
mail_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld -fno-sanitize=address
