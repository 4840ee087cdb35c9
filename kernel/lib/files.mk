# SPDX-License-Identifier: MIT
files-y := bcd.c mc146818.c string.c
# What the compiler calls of itself (memcpy) must be there when it finds that out, at link time. The rest takes part in LTO:
# what an object outside of it refers to would stay even where that object goes.
nolto-y := string.c
files-$(CONFIG_SEED) += seed.c
