/* SPDX-License-Identifier: MIT */
/* posix/stdlib.h - the C library's. And a heap in the memory of other clusters (nanvix/runtime/mm/manager.h). */
#ifndef POSIX_STDLIB_H_
#define POSIX_STDLIB_H_

#include <posix/stddef.h>
#include <stdlib.h>

/* Returns memory that is aligned to two words, or NULL: none, too much, no server has it, or there can be no pager. */
extern void *nanvix_malloc(size_t size);
extern void nanvix_free(void *ptr);

#endif
