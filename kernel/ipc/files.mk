# SPDX-License-Identifier: MIT
files-y := tunnel.c
