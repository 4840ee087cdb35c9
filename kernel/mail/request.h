/* SPDX-License-Identifier: MIT */
/* request.h - functions of request.c and send.c that receive.c uses. */
#ifndef AMALGAM_MAIL_REQUEST_H
#define AMALGAM_MAIL_REQUEST_H

#include <types.h>

/* Handle at most one request of each sender. Interrupts must be off. */
void requests_rang(void);
/* Returns the number of lines that were dropped since boot. */
u32 requests_dropped(void);
/* Wake who waits until a receiver has taken its message. Interrupts must be off. */
void sends_rang(void);

#endif
