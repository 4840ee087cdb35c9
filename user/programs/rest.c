/* SPDX-License-Identifier: MIT */
/* rest.c - prints a line and sleeps for ever. bench/process measures with it what the smallest process takes. */
#include <amalgam/calls.h>
#include <stdio.h>

int main(void)
{
    puts("rest: at rest");
    amalgam_sleep_until(AMALGAM_NEVER);
    return 0;
}
