# SPDX-License-Identifier: MIT
needs := $(CONFIG_SPAWN)
calls-y := spawn
files-y := calls.c events.c input.c pipe.c slots.c
defines-y := SPAWN=1
