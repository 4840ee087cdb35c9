/* SPDX-License-Identifier: MIT */
/* reach.c - tries its own part of the chip, then calls that would change it, then an address that is not its own.
 * arguments: [reach, read | write, address]. */
#include <RCCE.h>
#include <amalgam/calls.h>
#include <process/chip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static void expect(int right, const char *what)
{
    if (!right)
        printf("reach: wrong: %s\n", what);
    wrong += !right;
}

static void no_call_changes(uintptr_t page)
{
    void *at = (void *)page;
    expect(amalgam_unmap(at, 4096) == -AMALGAM_EFAULT, "unmap");
    expect(amalgam_protect(at, 4096, AMALGAM_MAP_WRITE) == -AMALGAM_EFAULT, "protect");
    expect(amalgam_map(at, 4096, AMALGAM_MAP_WRITE) == -AMALGAM_EFAULT, "map");
    expect(amalgam_frame_of(at) == -AMALGAM_EFAULT, "frame_of");
    expect(amalgam_frame_map(at, 0, AMALGAM_MAP_WRITE) < 0, "frame_map");
}

int main(int argc, char **argv)
{
    const struct chip_info *info = (const struct chip_info *)CHIP_INFO;
    RCCE_init(&argc, &argv);
    RCCE_finalize();
    volatile uint32_t *own = (volatile uint32_t *)(CHIP_MPB + info->core * CHIP_MPB_SIZE);
    const volatile uint32_t *kernels = (const volatile uint32_t *)CHIP_LIVES;
    volatile uint32_t *address = (volatile uint32_t *)(uintptr_t)strtoul(argv[2], NULL, 16);
    own[CHIP_MPB_SIZE / 4 - 1] = 1;
    ((volatile uint32_t *)CHIP_SHARED)[info->shared_size / 4 - 1] = 1;
    expect(own[CHIP_MPB_SIZE / 4 - 1] == 1 && info->shared_size == 8192, "its own");
    expect(amalgam_console_write((const void *)0x80101000, 4) == -AMALGAM_EFAULT, "the kernel's addresses");
    expect(amalgam_console_write((const void *)(CHIP_SHARED + info->shared_size - 2), 4) == -AMALGAM_EFAULT, "an end");
    expect(kernels[info->core] == 1 && !kernels[info->cores], "the numbers of kernels, and nothing behind them");
    no_call_changes(CHIP_INFO);
    no_call_changes(CHIP_LIVES & ~4095u);
    no_call_changes((uintptr_t)own);
    no_call_changes(CHIP_MPB + (info->core + 1) * CHIP_MPB_SIZE);
    no_call_changes(CHIP_SHARED);
    no_call_changes(CHIP_SHARED + info->shared_size);
    printf("reach: %d wrong\n", wrong);
    fflush(stdout);
    if (strcmp(argv[1], "read") == 0)
        (void)*address;
    else
        *address = 1;
    puts("reach: still here");
    return 1;
}
