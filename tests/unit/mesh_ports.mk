# SPDX-License-Identifier: MIT
TESTS += mesh_ports
mesh_ports_SRC := kernel/net/mesh_ports.c
mesh_ports_FIRST := -I$(ROOT)/kernel/board/scc/include -I$(ROOT)/kernel/net
mesh_ports_CFLAGS := $(X86) -DMESH_PORTS=1
