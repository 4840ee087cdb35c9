/* SPDX-License-Identifier: MIT */
/* nanvix/hlib.h - helper functions of Nanvix' kernel that programs use, too. */
#ifndef NANVIX_HLIB
#define NANVIX_HLIB

#include <nanvix/const.h>
#include <nanvix/strings.h>
#include <posix/stdarg.h>

#define kmemchr(s, c, n)   __memchr(s, c, n)
#define kmemcmp(a, b, n)   __memcmp(a, b, n)
#define kmemcpy(to, s, n)  __memcpy(to, s, n)
#define kmemmove(to, s, n) __memmove(to, s, n)
#define kmemset(s, c, n)   __memset(s, c, n)

#define kstrcat(to, s)     __strcat(to, s)
#define kstrchr(s, c)      __strchr(s, c)
#define kstrcmp(a, b)      __strcmp(a, b)
#define kstrcpy(to, s)     __strcpy(to, s)
#define kstrcspn(a, b)     __strcspn(a, b)
#define kstrlen(s)         __strlen(s)
#define kstrncat(to, s, n) __strncat(to, s, n)
#define kstrncmp(a, b, n)  __strncmp(a, b, n)
#define kstrncpy(to, s, n) __strncpy(to, s, n)
#define kstrnlen(s, n)     __strnlen(s, n)
#define kstrpbrk(a, b)     __strpbrk(a, b)
#define kstrrchr(s, c)     __strrchr(s, c)
#define kstrspn(a, b)      __strspn(a, b)
#define kstrstr(a, b)      __strstr(a, b)

#define ksprintf(to, ...)            __sprintf(to, __VA_ARGS__)
#define kvsnprintf(to, n, format, a) __vsnprintf(to, n, format, a)

#define KBUFFER_SIZE 128 /* characters of a line of kprintf(), at most */

/* Print one line; a newline is added if the text ends without one. */
extern void kprintf(const char *format, ...);

/* Print a line and end the process by a fault, of which the kernel prints the address. */
extern void kpanic(const char *format, ...) NORETURN;

/* Call kpanic() unless `condition` is true. */
extern void _kassert(int condition, const char *message, const char *file, int line);

#ifdef NDEBUG
#define kassert(x, message) ((void)(x), (void)(message))
#else
#define kassert(x, message) _kassert(!!(x), message, __FILE__, __LINE__)
#endif
#define KASSERT(x) kassert(x, "assertion failed: " #x)

#define KASSERT_SIZE(a, b)      ((void)sizeof(char[(a) == (b) ? 1 : -1]))
#define ALIGNED(x, a)           (((x) & ((a)-1)) == 0)
#define TRUNCATE(x, a)          (((x) + (a)-1) & ~((a)-1)) /* rounds up, despite its name */
#define ARRAY_LENGTH(x)         (sizeof(x) / sizeof((x)[0]))
#define WITHIN(x, a, b)         (((x) >= (a)) && ((x) < (b)))
#define BITS_GET(bits, mask)    (((bits) & (mask)) >> __builtin_ctzll(mask))
#define BITS_SET(bits, mask, v) (((bits) & ~(mask)) | (((v) << __builtin_ctzll(mask)) & (mask)))
#define mult(a, b)              ((a) * (b))
#define CONCAT2(x, y)           x##y
#define EXPAND2(x, y)           CONCAT2(x, y)
#define RESERVED                EXPAND2(reserved, __LINE__)

#endif
