/* SPDX-License-Identifier: MIT */
/* main.c - runs parts=BITS of the list below; by default all but the last two: one ends a guest. */
#include "instructions.h"

static void (*const part[])(void) = { test_table,      test_numbers,      test_addresses, test_protection, test_timers,
                                      test_interrupts, test_other_timers, test_refused,   test_random };

void guest_main(void)
{
    u32 parts = arg_number("parts", 0x7f);
    print("# instructions parts=%x\n", parts);
    for (u32 i = 0; i < ARRAY_SIZE(part); i++)
        if (parts & 1u << i) {
            fresh_start();
            part[i]();
        }
    print("# done\n");
}
