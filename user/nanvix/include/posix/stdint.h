/* SPDX-License-Identifier: MIT */
/* posix/stdint.h - the C library's. */
#ifndef POSIX_STDINT_H_
#define POSIX_STDINT_H_

#include <stdint.h>

#endif
