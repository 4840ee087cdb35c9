# SPDX-License-Identifier: MIT
files-y := calls.c machine.c table.c
# One guest on several cores.
files-$(CONFIG_PARA_STRONG) += strong.c
fast-$(CONFIG_PARA_STRONG) += machine.c strong.c
tables-y := para
