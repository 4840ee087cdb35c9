/* SPDX-License-Identifier: MIT */
/* spin.c - a program that prints one line and then never calls the kernel again. */
#include <stdio.h>

int main(void)
{
    puts("spin: begins");
    for (volatile unsigned long turns = 0;; turns++)
        ;
}
