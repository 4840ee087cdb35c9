/* SPDX-License-Identifier: MIT */
/* buffer.h - the simple interface's part of a core's message passing buffer; for processes, which have a page of it
 * (process/chip.h). As many lines remain for flags and groups as native programs have. */
#ifndef AMALGAM_USER_RCCE_BUFFER_H
#define AMALGAM_USER_RCCE_BUFFER_H

#define COMBUF 94 /* lines: two halves */

#endif
