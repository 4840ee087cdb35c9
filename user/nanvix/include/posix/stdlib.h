/* SPDX-License-Identifier: MIT */
/* posix/stdlib.h - the C library's. Memory of other clusters is in nanvix/runtime/mm/. */
#ifndef POSIX_STDLIB_H_
#define POSIX_STDLIB_H_

#include <posix/stddef.h>
#include <stdlib.h>

#endif
