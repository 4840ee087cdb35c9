# SPDX-License-Identifier: MIT
FUZZERS += net_frames
net_frames_INCLUDES := -I$(ROOT)/user/net
net_frames_MAX_LEN := 512
