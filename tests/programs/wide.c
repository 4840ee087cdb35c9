/* SPDX-License-Identifier: MIT */
/* wide.c - map all memory that there is, page by page; write each page's number into its ends, and find them again. */
#include <amalgam/calls.h>
#include <stdio.h>

#define PAGE 4096u
#define MOST 16384u

static volatile unsigned *taken[MOST];

int main(void)
{
    unsigned n = 0;
    int64_t page;
    while (n < MOST && (page = amalgam_map(NULL, PAGE, AMALGAM_MAP_WRITE)) > 0) {
        taken[n] = (volatile unsigned *)(uintptr_t)page;
        taken[n][0] = taken[n][PAGE / sizeof(unsigned) - 1] = n + 1;
        n++;
    }
    for (unsigned i = 0; i < n; i++)
        if (taken[i][0] != i + 1 || taken[i][PAGE / sizeof(unsigned) - 1] != i + 1) {
            printf("wide: page %u is WRONG\n", i);
            return 1;
        }
    printf("wide: %u pages, each as it was written\n", n);
    return 0;
}
