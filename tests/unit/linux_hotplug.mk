# SPDX-License-Identifier: MIT
TESTS += linux_hotplug
linux_hotplug_INCLUDES := linux/amalgam/hotplug.c
# The C library's functions, not the kernel's of the same header.
linux_hotplug_FIRST := -I$(ROOT)/tests/host/linux -include /usr/include/string.h
linux_hotplug_CFLAGS := -include $(ROOT)/tests/host/linux/fake_cpus.h -idirafter $(ROOT)/kernel/api -I$(ROOT)/linux/amalgam -fno-toplevel-reorder -Wno-sign-compare
