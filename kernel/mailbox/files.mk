# SPDX-License-Identifier: MIT
files-y := echo.c mailbox.c request.c send.c
# A message is counted.
fast-y := mailbox.c request.c send.c
