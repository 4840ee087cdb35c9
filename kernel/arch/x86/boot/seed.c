/* SPDX-License-Identifier: MIT */
/* seed.c - random bytes on the command line: the loader of a PC passes nothing else that is new at each start. */
#include <arch/boot.h>
#include <seed.h>
#include <string.h>

#define BYTES 32u
#define WORD  "seed="

/* Returns the value of a hexadecimal digit, or 16. */
static __init_text unsigned digit(char c)
{
    unsigned n = (unsigned)c - '0', letter = ((unsigned)c | 0x20) - 'a';
    return n < 10 ? n : letter < 6 ? letter + 10 : 16;
}

__init_text void seed_take_from_line(char *line)
{
    u8 bytes[BYTES];
    char *at = NULL;
    for (char before = ' '; *line && !at; before = *line++)
        if (before == ' ' && !strncmp(line, WORD, sizeof(WORD) - 1))
            at = line + sizeof(WORD) - 1;
    for (unsigned i = 0; at && i < BYTES; i++, at += 2) {
        unsigned high = digit(at[0]), low = high < 16 ? digit(at[1]) : 16;
        if (low == 16)
            return;
        bytes[i] = (u8)(high << 4 | low);
        at[0] = at[1] = '0';
    }
    seed_take(at ? bytes : NULL, sizeof(bytes));
}
