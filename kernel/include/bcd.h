/* SPDX-License-Identifier: MIT */
/* bcd.h - binary coded decimals, in which old chips count. */
#ifndef AMALGAM_BCD_H
#define AMALGAM_BCD_H

#include <types.h>

/* Returns the last four decimal digits of n, which has eight at most. */
u16 to_bcd(u32 n);
/* Returns the value of four digits; a digit above 9 counts with its value. */
u32 from_bcd(u16 bcd);

#endif
