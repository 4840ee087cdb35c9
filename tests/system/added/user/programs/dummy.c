/* SPDX-License-Identifier: MIT */
/* dummy.c - adds up 1 to 10, and tries a number that is too large. */
#include <stdio.h>

#include "dummy.h"

int main(void)
{
    int64_t sum = 0;
    for (unsigned i = 1; i <= 10; i++)
        sum = amalgam_dummy_add(i);
    printf("sum %lld, too large %lld\n", (long long)sum, (long long)amalgam_dummy_add(1001));
    return 0;
}
