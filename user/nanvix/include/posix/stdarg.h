/* SPDX-License-Identifier: MIT */
/* posix/stdarg.h - the C library's. */
#ifndef POSIX_STDARG_H_
#define POSIX_STDARG_H_

#include <stdarg.h>

#endif
