# SPDX-License-Identifier: MIT
TESTS += device
device_SRC := $(CORE_SRC) $(addprefix kernel/device/,calls.c interrupt.c rtl8139.c) kernel/process/part.c kernel/process/waiters.c kernel/handle/handle.c
device_INCLUDES := kernel/device/grant.c
device_CFLAGS := -I$(OUT)/include $(X86) -I$(ROOT)/kernel/board/pc/include -Wl,-T,$(ROOT)/tests/host/initcalls.ld
$(OUT)/test_device: $(OUT)/include/generated/device_calls.h
$(OUT)/include/generated/device_calls.h: $(ROOT)/kernel/api/device.yaml $(wildcard $(ROOT)/tools/amalgam/api/*.py)
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@ device

TESTS += rtl8139
rtl8139_SRC := kernel/device/rtl8139.c kernel/lib/string.c
rtl8139_FIRST := -I$(ROOT)/kernel/board/scc/include
