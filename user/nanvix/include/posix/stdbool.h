/* SPDX-License-Identifier: MIT */
/* posix/stdbool.h - the C library's. */
#ifndef POSIX_STDBOOL_H_
#define POSIX_STDBOOL_H_

#include <stdbool.h>

#endif
