/* SPDX-License-Identifier: MIT */
/* strlcpy.h (host) - picolibc's strlcpy(), which the host's C library may not have. */
#ifndef AMALGAM_TESTS_STRLCPY_H
#define AMALGAM_TESTS_STRLCPY_H

#include <stddef.h>
#include <string.h>

#define strlcpy host_strlcpy
__attribute__((unused)) static size_t host_strlcpy(char *to, const char *from, size_t size)
{
    size_t length = strlen(from);
    if (size) {
        size_t n = length < size ? length : size - 1;
        memcpy(to, from, n);
        to[n] = 0;
    }
    return length;
}

#endif
