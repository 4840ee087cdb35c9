# SPDX-License-Identifier: MIT
TESTS += mesh_ports
mesh_ports_SRC := kernel/net/mesh_ports.c kernel/net/process_calls.c
mesh_ports_FIRST := -I$(ROOT)/kernel/board/scc/include -I$(ROOT)/kernel/net
mesh_ports_CFLAGS := -I$(OUT)/include $(X86) -DMESH_PORTS=1
$(OUT)/test_mesh_ports: $(OUT)/include/generated/port_calls.h
