# SPDX-License-Identifier: MIT
# It is a PC all the same, emulated or not.
files-y := console.c image.c power.c ../pc/quirks.c
