/* SPDX-License-Identifier: MIT */
/* nopages.h - lwIP's httpd finds the pages that are in its image here: none. */
#define FS_ROOT     NULL
#define FS_NUMFILES 0
