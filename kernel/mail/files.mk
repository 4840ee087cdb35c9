# SPDX-License-Identifier: MIT
needs := $(CONFIG_MAIL)
files-y := receive.c request.c send.c
# A message is counted.
fast-y := receive.c request.c send.c
