/* SPDX-License-Identifier: MIT */
/* console.h - console_flush() writes the caller's unfinished line; console_leave() does so as its thread ends. */
#ifndef AMALGAM_USER_CONSOLE_H
#define AMALGAM_USER_CONSOLE_H

void console_flush(void);
void console_leave(void);

#endif
