/* SPDX-License-Identifier: MIT */
/* string.h - the handful of memory and string functions that the kernel links (lib/string.c). */
#ifndef AMALGAM_STRING_H
#define AMALGAM_STRING_H

#include <types.h>

void *memcpy(void *dst, const void *src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t max);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
/* Copy and always terminate. Returns strlen(src). */
size_t strlcpy(char *dst, const char *src, size_t size);

#endif
