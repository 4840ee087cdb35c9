/* SPDX-License-Identifier: MIT */
/* mail_none.c - for a kernel without mail: a ring is of no message. */
#include <hal/upcalls.h>

void mail_rang(void) {}
