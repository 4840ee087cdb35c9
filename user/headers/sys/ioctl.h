/* SPDX-License-Identifier: MIT */
/* sys/ioctl.h - of the console: its size (TIOCGWINSZ), which nobody knows: LINES and COLUMNS of the environment, if
 * they are 10 to 1000, or 24 and 80. Anything else is ENOTTY. Programs with sockets have another one (user/net). */
#ifndef AMALGAM_SYS_IOCTL_H
#define AMALGAM_SYS_IOCTL_H

#ifdef __cplusplus
extern "C" {
#endif

#define TIOCGWINSZ 0x5413

struct winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};

int ioctl(int number, unsigned long what, ...);

#ifdef __cplusplus
}
#endif

#endif
