# SPDX-License-Identifier: MIT
# Nested tables serve self-virtualization, too; the rest is for guests.
files-y := npt.c
guests := debug.c entry.S event.c exit.c fast.c reset.c setup.c state.c vcpu.c $(if $(CONFIG_AMDV_CHECKED),check.c,nocheck.c)
files-$(CONFIG_VM) += decode.c $(guests)
# Where instructions are counted (bench/exits): a null hypercall, a yield to another guest.
fast-y := event.c exit.c fast.c state.c vcpu.c
# Beside vmx/.
first-y := $(guests)
twice-y := decode.c npt.c
