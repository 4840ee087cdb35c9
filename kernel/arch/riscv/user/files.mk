# SPDX-License-Identifier: MIT
files-y := copy.S entry.S fault.c signal.c space.c user.c
fast-y := user.c
