/* SPDX-License-Identifier: MIT */
/* seed.c - random bytes on the command line: the loader of a PC passes nothing else that is new at each start. */
#include <arch/boot.h>
#include <hex.h>
#include <seed.h>
#include <string.h>

#define BYTES 32u
#define WORD  "seed="

__init_text void seed_take_from_line(char *line)
{
    u8 bytes[BYTES];
    char *at = NULL;
    for (char before = ' '; *line && !at; before = *line++)
        if (before == ' ' && !strncmp(line, WORD, sizeof(WORD) - 1))
            at = line + sizeof(WORD) - 1;
    for (unsigned i = 0; at && i < BYTES; i++, at += 2) {
        unsigned high = hex_digit(at[0]), low = high < 16 ? hex_digit(at[1]) : 16;
        if (low == 16)
            return;
        bytes[i] = (u8)(high << 4 | low);
        at[0] = at[1] = '0';
    }
    seed_take(at ? bytes : NULL, sizeof(bytes));
}
