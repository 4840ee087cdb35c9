# SPDX-License-Identifier: MIT
TESTS += medium medium_frames medium_time
medium_SRC := $(CORE_SRC) $(addprefix kernel/process/,flush.c frame_calls.c frames.c lazy.c map.c medium.c pager.c pin.c waiters.c)
medium_CFLAGS := -I$(OUT)/include $(addprefix -I$(ROOT)/kernel/arch/riscv/,include 64/include) -DPAGES_64K=1 \
                 -Wl,-T,$(ROOT)/tests/host/initcalls.ld
medium_INCLUDES := kernel/arch/riscv/user/space.c
medium_frames_SRC := $(medium_SRC)
medium_frames_CFLAGS := $(medium_CFLAGS)
medium_frames_INCLUDES := $(medium_INCLUDES)
# Counts instructions.
medium_time_SRC := $(medium_SRC)
medium_time_CFLAGS := $(medium_CFLAGS) $(STRETCH_CFLAGS) -Wno-unused-function
medium_time_INCLUDES := $(medium_INCLUDES)
$(OUT)/test_medium $(OUT)/test_medium_frames $(OUT)/test_medium_time: $(OUT)/include/generated/dispatch.h
medium_LEVEL := -O1
medium_frames_LEVEL := -O1
