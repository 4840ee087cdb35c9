# SPDX-License-Identifier: MIT
files-y := command.c object.c switch.c
