/* SPDX-License-Identifier: MIT */
/* begin.c - when a program begins: a line `bench begin NS`, nanoseconds since the board was started. */
#include <amalgam/calls.h>
#include <stdio.h>

int main(void)
{
    uint64_t now = amalgam_clock();
    printf("bench begin %lu\n", (unsigned long)now);
    return 0;
}
