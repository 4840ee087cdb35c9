# SPDX-License-Identifier: MIT
files-y := calls.c machine.c table.c
tables-y := para
