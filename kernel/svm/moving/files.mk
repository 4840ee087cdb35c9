# SPDX-License-Identifier: MIT
files-y := frame.c move.c
fast-y := frame.c
