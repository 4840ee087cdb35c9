# SPDX-License-Identifier: MIT
FUZZERS += firmware_device
firmware_device_INCLUDED := $(addprefix firmware/manycore/,device.c virtqueue.c)
firmware_device_INCLUDES := -I$(ROOT)/firmware/manycore
firmware_device_MAX_LEN := 1024
firmware_device_ARGS := -len_control=0
