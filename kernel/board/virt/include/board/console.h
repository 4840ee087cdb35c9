/* SPDX-License-Identifier: MIT */
/* board/console.h (virt) - the serial port, for use once devices can be mapped; before that the firmware's console is
 * used. */
#ifndef AMALGAM_BOARD_CONSOLE_H
#define AMALGAM_BOARD_CONSOLE_H

/* Boot, hart 0. */
void console_setup(void);

#endif
