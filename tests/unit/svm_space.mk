# SPDX-License-Identifier: MIT
TESTS += svm_space
svm_space_SRC := $(addprefix kernel/svm/,alloc.c count.c fault.c meet.c member.c own.c region.c show.c sync.c twin.c wait.c free.c outside.c place.c space.c) \
                 kernel/chip/svm.c kernel/process/part.c
svm_space_FIRST := -I$(ROOT)/kernel/board/scc/include -I$(ROOT)/tests/host/svm
# The address sanitizer has its own memory where the board shares its.
svm_space_CFLAGS := -DSVM_OUTSIDE=1 -I$(OUT)/include $(X86) -Wl,-T,$(ROOT)/tests/host/initcalls.ld -fno-sanitize=address
$(OUT)/test_svm_space: $(OUT)/include/generated/scc_calls.h
$(OUT)/include/generated/scc_calls.h: $(ROOT)/kernel/api/scc.yaml $(wildcard $(ROOT)/tools/amalgam/api/*.py)
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@ scc
