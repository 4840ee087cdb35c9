# SPDX-License-Identifier: MIT
# 64: what only 64 bits have; a 32-bit port is a folder beside it. The rest is common.
dirs-y := $(arch-width) cpu
# Ways in: from a boot loader with the machine to ourselves, from a Linux that goes on above us, or a board's own.
dirs-y += $(if $(CONFIG_ATTACH),attach,$(if $(CONFIG_SCC),,boot))
# Guests: by the help of a processor of Intel or AMD, or in ring 1 without any.
dirs-y += $(if $(CONFIG_PARA),para,$(if $(CONFIG_VMX_AND_AMDV),amdv) $(if $(CONFIG_VMX),vmx,$(if $(CONFIG_VM)$(CONFIG_SELFVIRT),amdv)))
dirs-$(CONFIG_SELFVIRT) += selfvirt
