# SPDX-License-Identifier: MIT
needs := $(CONFIG_STATUS)
calls-y := status
files-y := calls.c grant.c priority.c rings.c
