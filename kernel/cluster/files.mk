# SPDX-License-Identifier: MIT
files-y := calls.c end.c lane.c mailbox.c peer.c portal.c portal_wire.c request.c sync.c
fast-y := calls.c lane.c peer.c request.c
