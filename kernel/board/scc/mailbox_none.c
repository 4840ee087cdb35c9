/* SPDX-License-Identifier: MIT */
/* mailbox_none.c - for a kernel without mailboxes: a ring is of no message. */
#include <hal/upcalls.h>

void mailbox_rang(void) {}
