# SPDX-License-Identifier: MIT
files-y := jacobi.c
