/* SPDX-License-Identifier: MIT */
/*
 * main.c - runs the measured sequences often enough for a minimum and a maximum, in
 * real mode, with interrupts off but where EE itself is measured.
 *     measure: done rounds=64
 */
#include <guest.h>

void measure_all(void); /* full.S */

void guest_main(void)
{
    u32 rounds = arg_number("rounds", 64);
    uic_init();
    for (u32 i = 0; i < rounds; i++)
        measure_all();
    print("measure: done rounds=%u\n", rounds);
}
