/* SPDX-License-Identifier: MIT */
/* iconv_open.c - in front of picolibc's iconv_open(), which says -1 and sets no errno. */
#include <errno.h>
#include <iconv.h>

iconv_t picolibc_iconv_open(const char *to, const char *from);

iconv_t iconv_open(const char *to, const char *from)
{
    int before = errno;
    errno = 0;
    iconv_t made = picolibc_iconv_open(to, from);
    if (made != (iconv_t)-1)
        errno = before;
    else if (!errno)
        errno = EINVAL; /* a name is unknown */
    return made;
}
