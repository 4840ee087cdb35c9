/* SPDX-License-Identifier: MIT */
/* console.h - writes a thread's unfinished line when the program ends. */
#ifndef AMALGAM_USER_NATIVE_CONSOLE_H
#define AMALGAM_USER_NATIVE_CONSOLE_H

void console_flush(void);

#endif
