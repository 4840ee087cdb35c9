# SPDX-License-Identifier: MIT
# The 32-bit port's headers come first; kernel/include's types are the same.
PARA32 := -I$(OUT)/include -I$(ROOT)/kernel/arch/x86/32/include -I$(ROOT)/kernel/arch/x86/include -I$(ROOT)/kernel/board/pc/include \
          -I$(ROOT)/kernel/arch/x86/para -Wno-int-to-pointer-cast
TESTS += para_shadow para_descriptor para_gate para_iret para_run para_mmio para_patched para_strong
para_shadow_SRC := $(addprefix kernel/arch/x86/para/,shadow.c space.c stage2.c walk.c)
para_shadow_FIRST := -Wno-pointer-to-int-cast $(PARA32)
para_descriptor_SRC := $(addprefix kernel/arch/x86/para/,descriptor.c stage2.c walk.c)
para_descriptor_FIRST := $(para_shadow_FIRST)
para_gate_SRC := $(addprefix kernel/arch/x86/para/,deliver.c stage2.c walk.c)
para_gate_FIRST := $(para_shadow_FIRST)
para_iret_SRC := $(addprefix kernel/arch/x86/para/,calls.c deliver.c descriptor.c stage2.c walk.c)
para_iret_FIRST := $(para_shadow_FIRST)
para_run_SRC := kernel/arch/x86/para/run.c
para_run_FIRST := -I$(ROOT)/tests/host/para $(para_shadow_FIRST)
para_mmio_SRC := $(addprefix kernel/arch/x86/para/,emulate.c mmio.c)
para_mmio_FIRST := $(para_shadow_FIRST)
para_patched_SRC := $(addprefix kernel/arch/x86/para/,deliver.c descriptor.c patched.c stage2.c walk.c)
para_patched_FIRST := $(para_shadow_FIRST)
para_strong_SRC := $(addprefix kernel/arch/x86/para/,shadow.c space.c stage2.c strong.c strong_space.c walk.c)
para_strong_FIRST := -DPARA_STRONG=1 $(para_run_FIRST)
$(OUT)/test_para_shadow $(OUT)/test_para_descriptor $(OUT)/test_para_gate $(OUT)/test_para_iret $(OUT)/test_para_run $(OUT)/test_para_mmio $(OUT)/test_para_patched $(OUT)/test_para_strong: $(OUT)/include/generated/para_calls.h
$(OUT)/include/generated/para_calls.h: $(ROOT)/kernel/api/para.yaml $(wildcard $(ROOT)/tools/amalgam/api/*.py)
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@ para
