# SPDX-License-Identifier: MIT
files-y := arguments.c calls.c elf32.c native.c
