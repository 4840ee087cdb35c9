/* SPDX-License-Identifier: MIT */
/* posix/stddef.h - the C library's. */
#ifndef POSIX_STDDEF_H_
#define POSIX_STDDEF_H_

#include <stddef.h>

#endif
