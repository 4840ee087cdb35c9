/* SPDX-License-Identifier: MIT */
/* uname.c - uname() and gethostname(): a process's node is its domain. */
#include <amalgam/calls.h>
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE "x86_64"
#elif defined(__i386__)
#define MACHINE "i586"
#elif __riscv_xlen == 64
#define MACHINE "riscv64"
#else
#define MACHINE "riscv32"
#endif

/* Append a number to a string that has room for it. */
static void append(char *text, uint32_t number)
{
    char digits[10];
    size_t n = 0;
    do
        digits[n++] = (char)('0' + number % 10);
    while ((number /= 10));
    text += strlen(text);
    while (n)
        *text++ = digits[--n];
    *text = '\0';
}

int uname(struct utsname *names)
{
    *names = (struct utsname){ "Amalgam", "domain", "", "process", MACHINE };
    append(names->nodename, (uint32_t)amalgam_info(AMALGAM_INFO_DOMAIN));
    append(names->release, (uint32_t)amalgam_info(AMALGAM_INFO_VERSION));
    return 0;
}

int gethostname(char *to, size_t n)
{
    struct utsname names;
    uname(&names);
    size_t length = strlen(names.nodename) + 1;
    memcpy(to, names.nodename, n < length ? n : length);
    if (n >= length)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}
