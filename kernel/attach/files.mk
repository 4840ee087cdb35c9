# SPDX-License-Identifier: MIT
files-y := call.c guard.c memory.c power.c scrub.c
# Drivers whose other half is the Linux above.
files-$(CONFIG_SPLIT) += split.c
fast-y := call.c
