# SPDX-License-Identifier: MIT
FUZZERS += device_virtio
device_virtio_SRC := $(addprefix kernel/device/,dma.c virtio.c virtqueue.c) kernel/lib/string.c
device_virtio_CFLAGS := -I$(OUT)/include $(X86) -I$(ROOT)/kernel/board/virt/include
device_virtio_MAX_LEN := 1024
$(OUT)/fuzz_device_virtio: $(OUT)/include/generated/dma_calls.h
$(OUT)/include/generated/dma_calls.h: $(ROOT)/kernel/api/dma.yaml $(wildcard $(ROOT)/tools/amalgam/api/*.py)
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@ dma
