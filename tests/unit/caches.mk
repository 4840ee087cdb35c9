# SPDX-License-Identifier: MIT
TESTS += caches
caches_SRC := tools/plugin/caches_sets.c
caches_INCLUDES := tools/plugin/caches.h
caches_FIRST := -I$(ROOT)/tools/plugin
