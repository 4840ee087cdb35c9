/* SPDX-License-Identifier: MIT */
/* sys/ioctl.h - of sockets: the bytes that can be read (FIONREAD), and whether calls wait (FIONBIO). Anything else is
 * ENOTTY. */
#ifndef AMALGAM_SYS_IOCTL_H
#define AMALGAM_SYS_IOCTL_H

#ifdef __cplusplus
extern "C" {
#endif

#define FIONREAD 0x541b
#define FIONBIO  0x5421

int ioctl(int number, unsigned long what, ...);

#ifdef __cplusplus
}
#endif

#endif
