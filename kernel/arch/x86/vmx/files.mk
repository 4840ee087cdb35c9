# SPDX-License-Identifier: MIT
files-y := capability.c check.c entry.S operation.c state.c trial.c
