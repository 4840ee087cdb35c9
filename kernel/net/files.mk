# SPDX-License-Identifier: MIT
needs := $(if $(CONFIG_PARTITIONS),,$(CONFIG_VM))
files-y := switch.c ports.c
# To a network outside: of the Linux above, or of an SCC's other cores.
files-y += $(if $(CONFIG_SPLIT),split_net.c uplink.c,$(if $(CONFIG_SCC),mesh.c uplink.c,uplink_none.c))
