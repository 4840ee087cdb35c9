/* SPDX-License-Identifier: MIT */
/* string.h (host) - the host's, before the kernel's. */
#include "/usr/include/string.h"
