# SPDX-License-Identifier: MIT
TESTS += ethernet
ethernet_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/tests/host/p9
ethernet_CFLAGS := -I$(ROOT)/user/drivers -pthread
$(OUT)/test_ethernet: $(addprefix $(ROOT)/user/,drivers/ethernet.h net/frames.h lib/bell.h) $(ROOT)/tests/host/p9/amalgam/tunnel.h
