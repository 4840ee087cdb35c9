/* SPDX-License-Identifier: MIT */
/* mailbox_none.c - for a kernel without mailboxes: a ring is of no message. */
#include <mailbox/mailbox.h>

void mailbox_rang(void) {}
