/* SPDX-License-Identifier: MIT */
/*
 * secret - a guest with a secret for which a test can search: the first word of each of pages= pages. It writes that
 * word for ever, so it must be stopped before the memory can be cleared. word=0 pages=1024
 */
#include <guest.h>

#define AREA 0x800000 /* above the image */
#define PAGE 4096

void guest_main(void)
{
    uint64_t word = arg_number("word", 0), pages = arg_number("pages", 1024);
    for (uint64_t round = 0;; round++) {
        for (uint64_t i = 0; i < pages; i++)
            *(volatile uint64_t *)(AREA + i * PAGE) = word;
        if (!round)
            print("secret: %lu pages hold it\n", pages);
    }
}
