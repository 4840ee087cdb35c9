/* SPDX-License-Identifier: MIT */
/* tty.h - the console's input, and its modes. */
#ifndef AMALGAM_USER_TTY_H
#define AMALGAM_USER_TTY_H

#include <stdbool.h>
#include <termios.h>

/* From now on the console has input, where the kernel gives one. */
void tty_begin(void);

/* With the lock of the process's files, both. */
extern struct termios tty_modes;
/* Take over the modes that can be changed. `drops`: what was typed and not read is gone. */
void tty_set(const struct termios *modes, bool drops);

#endif
