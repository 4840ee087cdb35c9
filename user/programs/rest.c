/* SPDX-License-Identifier: MIT */
/* rest.c - prints a line and sleeps for ever: what the smallest process takes is measured with it (bench/process). */
#include <amalgam/calls.h>
#include <stdio.h>

int main(void)
{
    puts("rest: at rest");
    amalgam_sleep_until(AMALGAM_NEVER);
    return 0;
}
