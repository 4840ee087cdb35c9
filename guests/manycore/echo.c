/* SPDX-License-Identifier: MIT */
/*
 * echo.c - each cluster prints the text of its module, then every line that is typed for it, with the line's number.
 * The first cluster powers off at "off".
 */
#include "guest.h"

void guest_hart(ulong hart) { (void)hart; }

void guest_main(ulong hart, ulong start_number)
{
    char line[80];
    size_t size = 0;
    (void)hart, (void)start_number;
    if (board.module)
        say("module of %lu bytes: %s\n", board.module_end - board.module, (const char *)board.module);
    say("ready\n");
    csr_set(sie, 32);
    for (;;) {
        struct sbi got = sbi_call(SBI_DBCN, 1, 1, (ulong)&line[size], 0, 0);
        if (got.error || !got.value) { /* nothing was typed: try again in a millisecond */
            sbi_call(SBI_TIME, 0, csr_read(time) + 10000, 0, 0, 0);
            wfi();
        } else if (line[size] == '\n') {
            line[size] = 0;
            say("%u: %s\n", board.number, line);
            if (line[0] == 'o' && line[1] == 'f' && line[2] == 'f')
                power_off(false);
            size = 0;
        } else if (size < sizeof(line) - 1) {
            size++;
        }
    }
}
