/* SPDX-License-Identifier: MIT */
/* buffer.h - the simple interface's part of a core's message passing buffer; for native programs. */
#ifndef AMALGAM_USER_RCCE_BUFFER_H
#define AMALGAM_USER_RCCE_BUFFER_H

#define COMBUF 126 /* lines: two halves */

#endif
