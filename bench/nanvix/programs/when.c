/* SPDX-License-Identifier: MIT */
/*
 * when.c - prints when it starts: a line `bench when NS`, nanoseconds since the board was started. It prints a tenth of
 * a second later: on a board whose time are instructions, what one program prints would delay another one's start.
 */
#include <amalgam/calls.h>
#include <stdio.h>

int main(void)
{
    uint64_t now = amalgam_clock();
    amalgam_sleep_until(now + 100000000);
    printf("bench when %lu\n", (unsigned long)now);
    return 0;
}
