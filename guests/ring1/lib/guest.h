/* SPDX-License-Identifier: MIT */
/* guest.h - what print() of all our guests (guests/lib/print.c) stands on. */
#ifndef RING1_GUEST_H
#define RING1_GUEST_H

#include "ring1.h"

void put_char(char c);

#endif
