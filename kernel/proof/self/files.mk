# SPDX-License-Identifier: MIT
files-y := clock.c cycles.c hold.c watch.c
