# SPDX-License-Identifier: MIT
files-y := capability.c check.c operation.c
