/* SPDX-License-Identifier: MIT */
/* console.h - console_flush() writes the caller's unfinished line; console_leave() does so as its thread ends. */
#ifndef AMALGAM_USER_CONSOLE_H
#define AMALGAM_USER_CONSOLE_H

#include <stdint.h>

struct stream;

/* A bit of each of numbers 0, 1 and 2 that is no longer what it was at first (numbers.c). Its stream, when it is used
 * next, calls console_move(), which makes it one of the file with its number (stdio/open.c). */
extern uint32_t console_moved;
extern void (*console_move)(struct stream *s);
void stream_leave_console(struct stream *s);

/* The console has input: stdin goes by its number (numbers.c). */
void console_is_read(void);

void console_flush(void);
void console_leave(void);

#endif
