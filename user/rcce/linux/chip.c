/* SPDX-License-Identifier: MIT */
/* chip.c - a Linux in ring 1 that joins a process has the chip's memory as a device (guests/linux586/para/amalgam.c):
 * the same pages in the same order, from that of the information on. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../process/found.h"

#define DEVICE  "/dev/chip"
#define READ    0x2000u /* bytes at the begin that can be read only */
#define BUFFERS (CHIP_MPB - CHIP_INFO)

void NATIVE_CALL chip_rest(void) { nanosleep(&(struct timespec){ .tv_nsec = NATIVE_REST_NS }, NULL); }

bool chip_open(struct chip_memory *m)
{
    int device = open(DEVICE, O_RDWR);
    char *info = device < 0 ? MAP_FAILED : mmap(NULL, READ, PROT_READ, MAP_SHARED, device, 0), *own = MAP_FAILED;
    if (info != MAP_FAILED && ((struct chip_info *)info)->version == CHIP_VERSION) {
        size_t n = CHIP_SHARED - CHIP_MPB + ((struct chip_info *)info)->shared_size;
        own = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, device, BUFFERS);
    }
    close(device);
    if (own == MAP_FAILED) {
        puts("rcce: " DEVICE
             " is not there: say 'joins: NAME' of this guest in the system file, NAME a process with 'shared'");
        return false;
    }
    *m = (struct chip_memory){ (struct chip_info *)info, (uint32_t *)(info + CHIP_LIVES - CHIP_INFO), own,
                               own + (CHIP_SHARED - CHIP_MPB) };
    return true;
}
