/* SPDX-License-Identifier: MIT */
/* search.h - picolibc's, and what of POSIX it lacks. */
#ifndef AMALGAM_SEARCH_H
#define AMALGAM_SEARCH_H

#include <stddef.h>

#include_next <search.h>

#ifdef __cplusplus
extern "C" {
#endif

void *lfind(const void *key, const void *base, size_t *n, size_t width, int (*compare)(const void *, const void *));
void *lsearch(const void *key, void *base, size_t *n, size_t width, int (*compare)(const void *, const void *));
void insque(void *element, void *before);
void remque(void *element);

#ifdef __cplusplus
}
#endif

#endif
