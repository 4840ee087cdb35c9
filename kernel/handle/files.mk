# SPDX-License-Identifier: MIT
calls-y := handle
files-y := calls.c handle.c
fast-y := handle.c
