# SPDX-License-Identifier: MIT
files-y := clock.c console.c power.c quirks.c
