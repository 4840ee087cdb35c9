/* SPDX-License-Identifier: MIT */
/* features.h - what the compiler's C++ headers ask of the C library: it is not glibc. */
#ifndef AMALGAM_FEATURES_H
#define AMALGAM_FEATURES_H

#include <sys/features.h>

#ifndef __GLIBC_PREREQ
#define __GLIBC_PREREQ(major, minor) 0
#endif

#endif
