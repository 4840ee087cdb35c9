/* SPDX-License-Identifier: MIT */
/* nanvix/ulib.h - ulibc, the small C library of Nanvix' programs, with its own names. */
#ifndef NANVIX_ULIB_H_
#define NANVIX_ULIB_H_

#include <nanvix/kernel/kernel.h>

#define umemchr(s, c, n)   __memchr(s, c, n)
#define umemcmp(a, b, n)   __memcmp(a, b, n)
#define umemcpy(to, s, n)  __memcpy(to, s, n)
#define umemmove(to, s, n) __memmove(to, s, n)
#define umemset(s, c, n)   __memset(s, c, n)

#define ustrcat(to, s)     __strcat(to, s)
#define ustrchr(s, c)      __strchr(s, c)
#define ustrcmp(a, b)      __strcmp(a, b)
#define ustrcpy(to, s)     __strcpy(to, s)
#define ustrcspn(a, b)     __strcspn(a, b)
#define ustrlen(s)         __strlen(s)
#define ustrncat(to, s, n) __strncat(to, s, n)
#define ustrncmp(a, b, n)  __strncmp(a, b, n)
#define ustrncpy(to, s, n) __strncpy(to, s, n)
#define ustrnlen(s, n)     __strnlen(s, n)
#define ustrpbrk(a, b)     __strpbrk(a, b)
#define ustrrchr(s, c)     __strrchr(s, c)
#define ustrspn(a, b)      __strspn(a, b)
#define ustrstr(a, b)      __strstr(a, b)

/* Allocate memory; NULL: there is no more. The heap is what `memory:` of the system file leaves, not 64 KiB as in
 * Nanvix.
 */
extern void *umalloc(size_t size);
extern void *ucalloc(unsigned int number, size_t size);
extern void *urealloc(void *memory, size_t size);
extern void ufree(void *memory);

#define uvsprintf(to, n, format, a) __vsnprintf(to, n, format, a)
#define usprintf(to, ...)           __sprintf(to, __VA_ARGS__)
extern int usnprintf(char *to, size_t n, const char *format, ...);
/* Print one line by nanvix_write(). Returns how many characters were written, or -1 with errno. */
extern int uprintf(const char *format, ...);

/* Returns the name of an error of posix/errno.h. */
extern char *ustrerror(int error);

extern void uabort(void) NORETURN; /* ends the process by a fault */
extern void _uassertfail(const char *format, const char *condition, const char *file, int line) NORETURN;
#ifdef NDEBUG
#define uassert(condition) ((void)(condition))
#else
#define uassert(condition)                                                                                             \
    ((condition) ? (void)0 : _uassertfail("assertion failed: %s, file %s, line %d", #condition, __FILE__, __LINE__))
#endif
#define upanic(message)                                                                                                \
    do {                                                                                                               \
        uprintf("[nanvix] PANIC: %s", message);                                                                        \
        uabort();                                                                                                      \
    } while (0)

/* Pseudo-random numbers, at least 0. urand_r() keeps its state in memory of the caller. */
extern void usrand(unsigned seed);
extern int urand(void);
extern int urand_r(unsigned *state);

extern void *__nanvix_sbrk(size_t size);
extern void ___nanvix_exit(int status) NORETURN;
extern ssize_t __nanvix_write(int fd, const void *text, size_t n);

#endif
