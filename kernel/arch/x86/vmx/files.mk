# SPDX-License-Identifier: MIT
files-y := capability.c check.c debug.c entry.S event.c exit.c fast.c fields.c halt.c operation.c reset.c setup.c state.c trial.c vcpu.c
files-y += $(if $(CONFIG_VMX_CHECKED),entry_check.c,entry_nocheck.c)
files-y += $(if $(CONFIG_PROCESS),user.c,nouser.c)
# What both have: nested tables differ in the format of their entries only, instructions not at all.
files-y += ../amdv/decode.c ../amdv/npt.c
# Where instructions are counted (bench/exits): a null hypercall, a yield to another guest.
fast-y := event.c exit.c fast.c fields.c vcpu.c
