# SPDX-License-Identifier: MIT
files-y := capability.c check.c debug.c event.c exit.c fast.c fields.c operation.c reset.c setup.c state.c trial.c vcpu.c
files-y += $(if $(CONFIG_VMX_CHECKED),entry_check.c,entry_nocheck.c)
files-y += $(if $(CONFIG_PROCESS),user.c,nouser.c)
files-y += $(if $(CONFIG_VMX_AND_AMDV),either.c halt_either.c,alone.c halt.c)
# Where instructions are counted (bench/exits): a null hypercall, a yield to another guest.
fast-y := event.c exit.c fast.c fields.c vcpu.c
# Beside amdv/ its files are of the other set.
ifdef CONFIG_VMX_AND_AMDV
other-y := $(files-y)
files-y :=
# Names of that set alone: what looks itself whether the core is in VMX operation, and what entry.S calls.
twin-alone := hal_halt vmx_fast vmx_fast_dirty
endif
files-y += entry.S
# What both have: nested tables differ in the format of their entries only, instructions not at all.
files-$(call not,$(CONFIG_VMX_AND_AMDV)) += ../amdv/decode.c ../amdv/npt.c
