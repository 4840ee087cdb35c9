/* SPDX-License-Identifier: MIT */
/* console.h - what is left of a thread's unfinished line goes out when the program ends. */
#ifndef AMALGAM_USER_OPENMP_CONSOLE_H
#define AMALGAM_USER_OPENMP_CONSOLE_H

void console_flush(void);

#endif
