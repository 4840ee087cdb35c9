/* SPDX-License-Identifier: MIT */
/*
 * stray.c - makes the kernel read an address that this process does not have but a larger process has, again and again.
 * Each result must be -EFAULT, even if the other process runs on the core between the call and the copy. arguments:
 * [stray, offset from the start of the processes' range, calls (-1: for ever), offset of a page that it has].
 */
#include <amalgam/calls.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__i386__)
#define BASE 0xc0000000ul
#else
#define BASE 0x8000000000ul
#endif

int main(int argc, char **argv)
{
    uint64_t at = BASE + strtoul(argc > 1 ? argv[1] : "0", NULL, 0);
    unsigned long calls = argc > 2 ? strtoul(argv[2], NULL, 0) : ~0ul, read = 0;
    if (argc > 3)
        amalgam_map((void *)(uintptr_t)(BASE + strtoul(argv[3], NULL, 0)), 4096, AMALGAM_MAP_WRITE);
    for (unsigned long i = 0; i < calls; i++)
        read += amalgam_call(AMALGAM_CONSOLE_WRITE, at, 1, 0, 0) != -AMALGAM_EFAULT;
    printf("stray: %lu of %lu reads were answered\n", read, calls);
    return read != 0;
}
