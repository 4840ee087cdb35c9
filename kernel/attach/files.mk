# SPDX-License-Identifier: MIT
files-$(CONFIG_ATTACH) += call.c guard.c memory.c power.c scrub.c
# Drivers whose other half is the Linux above.
files-$(if $(CONFIG_ATTACH),$(CONFIG_SPLIT)) += split.c
fast-$(CONFIG_ATTACH) += call.c
dirs-$(CONFIG_SELFVIRT) += self
