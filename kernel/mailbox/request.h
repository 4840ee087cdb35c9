/* SPDX-License-Identifier: MIT */
/* request.h - what mailbox.c knows of request.c. */
#ifndef AMALGAM_MAILBOX_REQUEST_H
#define AMALGAM_MAILBOX_REQUEST_H

#include <types.h>

/* Serve what the others asked for: one request of each at most. Interrupts off. */
void requests_rang(void);
/* Lines that were dropped since boot. */
u32 requests_dropped(void);

#endif
