# SPDX-License-Identifier: MIT
needs := $(if $(CONFIG_PARTITIONS),,$(CONFIG_VM))
files-y := switch.c ports.c $(if $(CONFIG_SPLIT),split_net.c,uplink_none.c)
