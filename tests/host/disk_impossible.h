/* SPDX-License-Identifier: MIT */
/* disk_impossible.h - included before littlefs where its disk lies: what it takes for impossible ends its program,
 * which here is the use of one disk. */
#ifndef AMALGAM_HOST_DISK_IMPOSSIBLE_H
#define AMALGAM_HOST_DISK_IMPOSSIBLE_H

_Noreturn void disk_impossible(void);

#define LFS_ASSERT(test) ((test) ? (void)0 : disk_impossible())

#endif
