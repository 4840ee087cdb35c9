# SPDX-License-Identifier: MIT
TESTS += net_port
net_port_SRC := $(CORE_SRC) $(addprefix kernel/net/,switch.c ports.c process_port.c process_frames.c process_uplink.c process_calls.c uplink.c) kernel/process/part.c kernel/process/waiters.c \
                kernel/handle/handle.c
net_port_CFLAGS := -I$(OUT)/include $(X86) -Wl,-T,$(ROOT)/tests/host/initcalls.ld
$(OUT)/test_net_port: $(OUT)/include/generated/port_calls.h
$(OUT)/include/generated/port_calls.h: $(ROOT)/kernel/api/port.yaml $(wildcard $(ROOT)/tools/amalgam/api/*.py)
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@ port
