/* SPDX-License-Identifier: MIT */
/* arguments.h - the arguments NAME=N of servers. */
#ifndef AMALGAM_SERVERS_ARGUMENTS_H
#define AMALGAM_SERVERS_ARGUMENTS_H

#include <stdlib.h>
#include <string.h>

/* Returns N of 1 to `most` behind `name`, which ends with "="; 0: it is not that argument, or no such number. */
static inline unsigned arguments_number(const char *word, const char *name, unsigned most)
{
    size_t n = strlen(name);
    char *end;
    if (strncmp(word, name, n) || !strspn(word + n, "0123456789"))
        return 0;
    unsigned long long value = strtoull(word + n, &end, 10);
    return value <= most && !*end ? (unsigned)value : 0;
}

#endif
