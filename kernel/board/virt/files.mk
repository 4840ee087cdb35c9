# SPDX-License-Identifier: MIT
files-y := clock.c console.c irq.c power.c
files-$(CONFIG_CLUSTER) += noc.c
