# SPDX-License-Identifier: MIT
files-y := free.c party.c place.c space.c
