/* SPDX-License-Identifier: MIT */
/* entry.S - the first instruction of a program for RCCE. */
#include "../../native/entry.S"
