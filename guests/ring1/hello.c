/* SPDX-License-Identifier: MIT */
/* hello.c - the smallest guest in ring 1. */
#include "ring1.h"

int main(void)
{
    uint16_t cs;
    __asm__("mov %%cs, %0" : "=r"(cs));
    print("hello from ring %u\n", cs & 3u);
    return 0;
}
