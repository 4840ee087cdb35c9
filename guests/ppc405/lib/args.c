/* SPDX-License-Identifier: MIT */
/* args.c - name=value words of the command line, which the loader left in r6. */
#include <guest.h>

const char *command_line; /* start.S */

bool text_equal(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++)
        ;
    return *a == *b;
}

/* The value after `name=`, or NULL. */
static const char *find(const char *name)
{
    for (const char *s = command_line; s && *s;) {
        const char *n = name;
        while (*n && *s == *n)
            s++, n++;
        if (!*n && *s == '=')
            return s + 1;
        while (*s && *s != ' ')
            s++;
        while (*s == ' ')
            s++;
    }
    return NULL;
}

u32 arg_number(const char *name, u32 otherwise)
{
    const char *s = find(name);
    if (!s)
        return otherwise;
    u32 value = 0, base = s[0] == '0' && s[1] == 'x' ? 16 : 10;
    for (s += base == 16 ? 2 : 0; *s && *s != ' '; s++) {
        u32 digit = *s >= '0' && *s <= '9' ? (u32)(*s - '0') : (u32)((*s | 0x20) - 'a' + 10);
        if (digit >= base)
            return otherwise;
        value = value * base + digit;
    }
    return value;
}
