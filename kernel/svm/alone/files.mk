# SPDX-License-Identifier: MIT
files-y := append.c
