# SPDX-License-Identifier: MIT
needs := $(CONFIG_MAILBOX)
files-y := mailbox.c request.c send.c
# A message is counted.
fast-y := mailbox.c request.c send.c
