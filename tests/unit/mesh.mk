# SPDX-License-Identifier: MIT
TESTS += mesh
mesh_SRC := kernel/net/mesh.c kernel/net/mesh_send.c
mesh_FIRST := -I$(ROOT)/kernel/board/scc/include -I$(ROOT)/kernel/net
# The address sanitizer has its own memory where the board shares its.
mesh_CFLAGS := -fno-sanitize=address
