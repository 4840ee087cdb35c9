/* SPDX-License-Identifier: MIT */
/* bcd.h - the binary coded decimals in which old chips count. */
#ifndef AMALGAM_BCD_H
#define AMALGAM_BCD_H

#include <types.h>

/* The last four of the decimal digits of n, which has eight at most. */
u16 to_bcd(u32 n);
/* What four digits say; a digit above 9 counts for what it is. */
u32 from_bcd(u16 bcd);

#endif
