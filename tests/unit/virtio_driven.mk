# SPDX-License-Identifier: MIT
TESTS += virtio_driven
virtio_driven_SRC := $(addprefix kernel/device/,dma.c virtio.c virtqueue.c) kernel/lib/string.c
virtio_driven_CFLAGS := -I$(OUT)/include $(X86) -I$(ROOT)/kernel/board/virt/include
$(OUT)/test_virtio_driven: $(OUT)/include/generated/dma_calls.h
$(OUT)/include/generated/dma_calls.h: $(ROOT)/kernel/api/dma.yaml $(wildcard $(ROOT)/tools/amalgam/api/*.py)
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@ dma
