/* SPDX-License-Identifier: MIT */
/* unistd.h - picolibc's, and the version of POSIX whose names programs ask for. docs/library.md says which there are.
 */
#ifndef AMALGAM_UNISTD_H
#define AMALGAM_UNISTD_H

#include_next <unistd.h>

#undef _POSIX_VERSION
#define _POSIX_VERSION 200809L

#endif
