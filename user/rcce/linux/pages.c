/* SPDX-License-Identifier: MIT */
/* pages.c - lazy pages by a device of Linux (guests/linux586/para/amalgam.c): ../process/lazy.h. */
#include <fcntl.h>
#include <process/chip.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../process/lazy.h"

#define DEVICE  "/dev/chip"
#define ACQUIRE _IO('A', 0)
#define RELEASE _IO('A', 1)

static int device = -1;

static int opened(void)
{
    if (device < 0)
        device = open(DEVICE, O_RDWR);
    return device;
}

int pages_alloc(size_t bytes)
{
    (void)bytes;
    return LAZY_OTHERS;
}

void *pages_at(size_t offset, size_t bytes)
{
    off_t from = (off_t)(CHIP_SVM - CHIP_INFO + offset);
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, opened(), from);
    return at == MAP_FAILED ? NULL : at;
}

void pages_free(void *at, size_t bytes) { munmap(at, bytes); }

void lazy_acquire(void) { ioctl(opened(), ACQUIRE); }
void lazy_release(void) { ioctl(opened(), RELEASE); }
