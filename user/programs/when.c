/* SPDX-License-Identifier: MIT */
/* when.c - prints when it starts: a line `bench when NS`, nanoseconds since the board was started. */
#include <amalgam/calls.h>
#include <stdio.h>

int main(void)
{
    uint64_t now = amalgam_clock();
    printf("bench when %lu\n", (unsigned long)now);
    return 0;
}
