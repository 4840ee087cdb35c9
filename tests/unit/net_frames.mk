# SPDX-License-Identifier: MIT
TESTS += net_frames
net_frames_FIRST := -include /usr/include/string.h
net_frames_CFLAGS := -I$(ROOT)/user/net -pthread
