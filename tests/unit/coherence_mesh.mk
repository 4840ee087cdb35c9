# SPDX-License-Identifier: MIT
TESTS += coherence_mesh
coherence_mesh_SRC := tools/plugin/coherence_mesh.c
coherence_mesh_INCLUDES := tools/plugin/coherence_mesh.h
coherence_mesh_FIRST := -I$(ROOT)/tools/plugin
