# SPDX-License-Identifier: MIT
TESTS += linux_backend
linux_backend_SRC := linux/command/backend_area.c
linux_backend_INCLUDES := linux/command/backend.c
# The C library's functions, not the kernel's of the same header.
linux_backend_FIRST := -D_GNU_SOURCE= -I$(ROOT)/linux/command -include /usr/include/string.h
linux_backend_CFLAGS := -I$(ROOT)/kernel/api -I$(ROOT)/linux/amalgam
