/* SPDX-License-Identifier: MIT */
/* tty.h - the console's input, by lines. */
#ifndef AMALGAM_USER_TTY_H
#define AMALGAM_USER_TTY_H

/* From now on the console has input, where the kernel gives one. */
void tty_begin(void);

#endif
