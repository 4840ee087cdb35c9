# SPDX-License-Identifier: MIT
TESTS += ethernet
ethernet_FIRST := -D_GNU_SOURCE= -include /usr/include/string.h -I$(ROOT)/tests/host/p9
ethernet_CFLAGS := -I$(ROOT)/user/drivers -pthread
