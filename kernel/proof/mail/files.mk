# SPDX-License-Identifier: MIT
files-y := echo.c
