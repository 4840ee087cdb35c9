/* SPDX-License-Identifier: MIT */
/* string.h - the C library's, before the kernel's, whose folder is on the path for hal/. */
#include "/usr/include/string.h"
