/* SPDX-License-Identifier: MIT */
/*
 * mman.c - POSIX memory mapping. The kernel maps no files: a private mapping is a copy of what the file has when it is
 * mapped, and zeros behind its end. A shared one of a file is ENOTSUP; of none it is memory of the process, which
 * nobody shares.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Returns whether one file can be mapped so; else errno says why not. */
static bool is_mappable(size_t n, int prot, int flags, int file, off_t offset)
{
    struct stat s;
    int mode = fcntl(file, F_GETFL);
    if (mode < 0 || fstat(file, &s))
        return false;
    if (!n || offset < 0 || offset % (off_t)PAGE || !(flags & MAP_SHARED) == !(flags & MAP_PRIVATE))
        errno = EINVAL;
    else if (!S_ISREG(s.st_mode))
        errno = ENODEV;
    else if ((mode & O_ACCMODE) == O_WRONLY ||
             (flags & MAP_SHARED && prot & PROT_WRITE && (mode & O_ACCMODE) != O_RDWR))
        errno = EACCES;
    else if (flags & ~(MAP_PRIVATE | MAP_FIXED))
        errno = ENOTSUP;
    else
        return true;
    return false;
}

/* Returns 0, or -1 with errno. */
static int copy_file(char *to, size_t n, int file, off_t offset)
{
    ssize_t done = 1;
    for (; n && done > 0; to += done, n -= (size_t)done, offset += done)
        done = pread(file, to, n, offset);
    return done < 0 ? -1 : 0;
}

static void *map_file(void *address, size_t n, int prot, int flags, int file, off_t offset)
{
    if (!is_mappable(n, prot, flags, file, offset))
        return MAP_FAILED;
    void *at = mmap(address, n, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || (!copy_file(at, n, file, offset) && !mprotect(at, n, prot)))
        return at;
    int error = errno;
    munmap(at, n);
    errno = error;
    return MAP_FAILED;
}

void *mmap(void *address, size_t n, int prot, int flags, int file, off_t offset)
{
    int fixed = flags & MAP_FIXED, may = rights(prot), how = flags & ~(MAP_FIXED | MAP_ANONYMOUS);
    if (!(flags & MAP_ANONYMOUS) && may >= 0)
        return map_file(address, n, prot, flags, file, offset);
    if (may < 0 || (how != MAP_PRIVATE && how != MAP_SHARED) || file != -1) {
        errno = !(flags & MAP_SHARED) == !(flags & MAP_PRIVATE) ? EINVAL : ENOTSUP;
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
