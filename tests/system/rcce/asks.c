/* SPDX-License-Identifier: MIT */
/*
 * asks.c - has the kernel write where a process may not: the first words of what kernels share, of a message passing
 * buffer, of shared virtual memory and of the kernel's own memory. Each is refused. A kernel that does write then waits
 * for a fault, so this program says nothing more, and what it wrote are zeros over who is up.
 */
#include <RCCE.h>
#include <amalgam/calls.h>
#include <stdio.h>

int RCCE_APP(int argc, char **argv)
{
    static const unsigned places[] = { 0x80000010, 0x80101000, 0x80400000, 0x90000000, 0x100000,
                                       0x800000,   0xe0000000, 0xf0000000, 0xfffffff0 };
    unsigned refused = 0, n = sizeof(places) / sizeof(*places);
    for (unsigned i = 0; i < n; i++)
        refused += amalgam_call(AMALGAM_FAULT_WAIT, places[i], 0, 0, 0) == -AMALGAM_EFAULT;
    printf("asks: %u of %u refused\n", refused, n);
    return 0;
}
