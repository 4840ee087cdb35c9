/* SPDX-License-Identifier: MIT */
/* mman.c - POSIX memory mapping, anonymous and private only: the kernel maps neither files nor shared memory. */
#include <errno.h>
#include <sys/mman.h>

#include "memory.h"
#include "thread.h"

static size_t pages(size_t n) { return (n + PAGE - 1) & -(size_t)PAGE; }

/* Turn a result of the kernel into 0, or -1 with errno. */
static int result(int64_t r)
{
    if (r >= 0)
        return 0;
    errno = r == -AMALGAM_EINVAL ? EINVAL : r == -AMALGAM_EEXIST ? EEXIST : ENOMEM;
    return -1;
}

/* Returns the kernel's name of the PROT_* bits, or -1 if it has none. */
static int rights(int prot)
{
    switch (prot) {
    case PROT_READ: return AMALGAM_MAP_READ;
    case PROT_WRITE:
    case PROT_READ | PROT_WRITE: return AMALGAM_MAP_WRITE;
    case PROT_EXEC:
    case PROT_READ | PROT_EXEC: return AMALGAM_MAP_EXEC;
    default: return -1;
    }
}

void *mmap(void *address, size_t n, int prot, int flags, int file, off_t offset)
{
    int fixed = flags & MAP_FIXED, may = rights(prot);
    (void)offset;
    if (may < 0 || (flags & ~MAP_FIXED) != (MAP_PRIVATE | MAP_ANONYMOUS) || file != -1) {
        errno = ENOTSUP;
        return MAP_FAILED;
    }
    if (!n || n > SIZE_MAX - PAGE || (fixed && !address)) {
        errno = n > SIZE_MAX - PAGE ? ENOMEM : EINVAL;
        return MAP_FAILED;
    }
    if (fixed && result(amalgam_unmap(address, pages(n))))
        return MAP_FAILED;
    int64_t at = memory_map(fixed ? address : NULL, pages(n), (enum amalgam_map)may);
    return result(at) ? MAP_FAILED : (void *)(uintptr_t)at;
}

int munmap(void *address, size_t n)
{
    int64_t r = n > SIZE_MAX - PAGE ? -AMALGAM_EINVAL : amalgam_unmap(address, pages(n));
    return result(r == -AMALGAM_EFAULT ? -AMALGAM_EINVAL : r);
}

int mprotect(void *address, size_t n, int prot)
{
    int may = rights(prot);
    if (may < 0) {
        errno = ENOTSUP;
        return -1;
    }
    if (!n && !((uintptr_t)address % PAGE))
        return 0;
    return result(n > SIZE_MAX - PAGE ? -AMALGAM_ENOMEM
                                      : amalgam_protect(address, pages(n), (enum amalgam_protect)may));
}
