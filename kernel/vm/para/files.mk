# SPDX-License-Identifier: MIT
files-y := calls.c machine.c table.c
# One guest on several cores.
files-$(CONFIG_PARA_STRONG) += strong.c
tables-y := para
