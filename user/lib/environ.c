/* SPDX-License-Identifier: MIT */
/* environ.c - clearenv(), which picolibc lacks, and setenv(), which takes any name there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int picolibc_setenv(const char *name, const char *value, int replaces);

extern char **environ;

int clearenv(void)
{
    static char *none[1];
    environ = none; /* setenv() copies what it did not allocate */
    return 0;
}

int setenv(const char *name, const char *value, int replaces)
{
    if (name && *name && !strchr(name, '='))
        return picolibc_setenv(name, value, replaces);
    errno = EINVAL;
    return -1;
}
