# SPDX-License-Identifier: MIT
files-y := calls.c cpuid.c deliver.c descriptor.c emulate.c mmio.c patched.c run.c setup.c shadow.c space.c stage2.c switch.S walk.c
# Memory whose pages come and go.
files-$(CONFIG_PARA_STRONG) += strong.c strong_space.c
defines-$(CONFIG_PARA_STRONG) += PARA_STRONG=1
# Where instructions are counted (bench/i586-linux).
fast-y := calls.c deliver.c run.c shadow.c space.c walk.c
fast-$(CONFIG_PARA_STRONG) += strong.c strong_space.c
