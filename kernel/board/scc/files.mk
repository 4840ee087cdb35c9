# SPDX-License-Identifier: MIT
files-y := bell.c clock.c console.c entry.S gic.c info.c interrupt.c main.c power.c reader.c ring.c watch.c ../pc/console.c
# Not in the lean kernel.
files-$(CONFIG_MAILBOX) += hurry.c registers.c restart.c
