/* SPDX-License-Identifier: MIT */
/* spin.c - prints one line, then loops without a system call. */
#include <stdio.h>

int main(void)
{
    puts("spin: begins");
    for (volatile unsigned long turns = 0;; turns++)
        ;
}
