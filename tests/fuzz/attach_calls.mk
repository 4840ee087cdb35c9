# SPDX-License-Identifier: MIT
FUZZERS += attach_calls
attach_calls_SRC := kernel/attach/call.c kernel/attach/guard.c kernel/attach/memory.c kernel/arch/x86/attach/cpus.c
attach_calls_CFLAGS := -include $(ROOT)/tests/host/attach_host.h $(X86) -I$(ROOT)/kernel/board/linux/include
attach_calls_MAX_LEN := 160
attach_calls_ARGS := -len_control=0
