/* SPDX-License-Identifier: MIT */
/*
 * files.c - POSIX files for native programs, which have none: stdio's fopen() needs them, and a program that looks for
 * a file that it can do without goes on. Numbers 0 to 2 are the console's streams. Called from every thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONSOLE 3 /* numbers below are the console's */

static int fail(int error)
{
    errno = error;
    return -1;
}

static int on_console(int number) { return number >= 0 && number < CONSOLE; }

/* No file is there, and none can be made: ENOENT, or EROFS where it would be created. */
int open(const char *path, int flags, ...)
{
    (void)path;
    return fail(flags & O_CREAT ? EROFS : ENOENT);
}

int close(int number) { return on_console(number) ? 0 : fail(EBADF); }

/* The console has no input: its end. */
ssize_t read(int number, void *to, size_t n)
{
    (void)to;
    (void)n;
    return number == 0 ? 0 : fail(EBADF);
}

/* To the thread's line of the console, which its end writes out (console.c of RCCE and of OpenMP). */
ssize_t write(int number, const void *from, size_t n)
{
    if (number != 1 && number != 2)
        return fail(EBADF);
    return (ssize_t)fwrite(from, 1, n, stdout);
}

off_t lseek(int number, off_t to, int from)
{
    (void)to;
    (void)from;
    return fail(on_console(number) ? ESPIPE : EBADF);
}

int stat(const char *restrict path, struct stat *restrict s)
{
    (void)path;
    (void)s;
    return fail(ENOENT);
}

int access(const char *path, int mode)
{
    (void)path;
    return fail(mode & W_OK ? EROFS : ENOENT);
}

int unlink(const char *path)
{
    (void)path;
    return fail(ENOENT);
}

int isatty(int number) { return on_console(number) ? 1 : fail(EBADF); }
