/* SPDX-License-Identifier: MIT */
/* nanvix/strings.h - Nanvix' names for functions of the C library, for programs that do not include its headers. */
#ifndef NANVIX_STRINGS_H_
#define NANVIX_STRINGS_H_

#include <posix/stdarg.h>
#include <posix/stddef.h>

extern void *__memchr(const void *s, int c, size_t n) __asm__("memchr");
extern int __memcmp(const void *a, const void *b, size_t n) __asm__("memcmp");
extern void *__memcpy(void *to, const void *s, size_t n) __asm__("memcpy");
extern void *__memmove(void *to, const void *s, size_t n) __asm__("memmove");
extern void *__memset(void *s, int c, size_t n) __asm__("memset");

extern char *__strcat(char *to, const char *s) __asm__("strcat");
extern char *__strchr(const char *s, int c) __asm__("strchr");
extern int __strcmp(const char *a, const char *b) __asm__("strcmp");
extern char *__strcpy(char *to, const char *s) __asm__("strcpy");
extern size_t __strcspn(const char *a, const char *b) __asm__("strcspn");
extern size_t __strlen(const char *s) __asm__("strlen");
extern char *__strncat(char *to, const char *s, size_t n) __asm__("strncat");
extern int __strncmp(const char *a, const char *b, size_t n) __asm__("strncmp");
extern char *__strncpy(char *to, const char *s, size_t n) __asm__("strncpy");
extern size_t __strnlen(const char *s, size_t n) __asm__("strnlen");
extern char *__strpbrk(const char *a, const char *b) __asm__("strpbrk");
extern char *__strrchr(const char *s, int c) __asm__("strrchr");
extern size_t __strspn(const char *a, const char *b) __asm__("strspn");
extern char *__strstr(const char *a, const char *b) __asm__("strstr");

extern int __sprintf(char *to, const char *format, ...) __asm__("nanvix_sprintf");
extern int __vsnprintf(char *to, size_t n, const char *format, va_list arguments) __asm__("nanvix_vsnprintf");

#endif
