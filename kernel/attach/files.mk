# SPDX-License-Identifier: MIT
files-y := call.c guard.c memory.c power.c scrub.c
fast-y := call.c
