# SPDX-License-Identifier: MIT
needs := $(if $(CONFIG_PARTITIONS),,$(CONFIG_VM))
calls-y := $(if $(CONFIG_NET_PORT),port)
files-y := switch.c ports.c
# To a network outside: of the Linux above, of an SCC's other cores, or of whom a process reaches.
uplink-y := $(if $(CONFIG_SPLIT),split_net.c uplink.c,$(if $(CONFIG_SCC),mesh.c uplink.c,uplink_none.c))
files-y += $(if $(CONFIG_NET_PORT),process_port.c process_frames.c process_calls.c uplink.c,$(uplink-y))
