# SPDX-License-Identifier: MIT
needs := $(if $(CONFIG_PARTITIONS),,$(CONFIG_VM))
calls-y := $(if $(CONFIG_NET_PORT),port)
files-y := switch.c ports.c
# To a network outside: of the Linux above, of an SCC's other cores, or of whom a process reaches.
uplink-y := $(if $(CONFIG_SPLIT),split_net.c uplink.c,$(if $(CONFIG_SCC),mesh.c mesh_send.c uplink.c,uplink_none.c))
port-y := process_port.c process_frames.c process_calls.c uplink.c $(if $(CONFIG_SCC),mesh.c mesh_send.c mesh_ports.c,process_uplink.c)
files-y += $(if $(CONFIG_NET_PORT),$(port-y),$(uplink-y))
defines-$(if $(CONFIG_SCC),$(CONFIG_NET_PORT)) += MESH_PORTS=1
