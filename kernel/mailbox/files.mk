# SPDX-License-Identifier: MIT
files-y := echo.c mailbox.c
# A message is counted.
fast-y := mailbox.c
