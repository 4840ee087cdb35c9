/* SPDX-License-Identifier: MIT */
/*
 * stdio.h - picolibc's, and what of POSIX it lacks. feof() and its kind are functions here, which hold the stream's
 * lock; picolibc has macros that do not.
 */
#ifndef AMALGAM_STDIO_H
#define AMALGAM_STDIO_H

#define fsetpos picolibc_fsetpos /* declared without POSIX' const */
#include_next <stdio.h>
#undef fsetpos
#include <sys/types.h>

#undef feof
#undef ferror
#undef clearerror
#undef getc
#undef getchar
#undef putc
#undef putchar

#ifdef __cplusplus
extern "C" {
#endif

int fsetpos(FILE *f, const fpos_t *from);

#if __POSIX_VISIBLE
void flockfile(FILE *f);
int ftrylockfile(FILE *f);
void funlockfile(FILE *f);
int getc_unlocked(FILE *f);
int getchar_unlocked(void);
int putc_unlocked(int c, FILE *f);
int putchar_unlocked(int c);
#endif

#if __POSIX_VISIBLE >= 200809
ssize_t getdelim(char **__restrict line, size_t *__restrict size, int end, FILE *__restrict f);
ssize_t getline(char **__restrict line, size_t *__restrict size, FILE *__restrict f);
int dprintf(int number, const char *__restrict format, ...) __attribute__((__format__(__printf__, 2, 3)));
int vdprintf(int number, const char *__restrict format, __builtin_va_list arguments)
    __attribute__((__format__(__printf__, 2, 0)));
FILE *open_memstream(char **text, size_t *size);
int renameat(int old_folder, const char *old, int new_folder, const char *new_name);
#endif

#ifdef __cplusplus
}
#endif
#endif
