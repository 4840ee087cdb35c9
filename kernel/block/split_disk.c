/* SPDX-License-Identifier: MIT */
/* split_disk.c - the kernel's half of a disk of the Linux above (block/split_disk.h). */
#include <block/split_disk.h>
#include <errors.h>

#define MAX_SECTORS (1ull << 48)

_Static_assert(offsetof(struct backend_block, data) == PAGE_SIZE, "api/backend.h");

void split_disk_ask(struct split_disk *d, u32 operation, u64 sector, u32 length)
{
    WRITE_ONCE(d->shared->operation, operation);
    WRITE_ONCE(d->shared->sector, sector);
    WRITE_ONCE(d->shared->length, length);
    d->piece = length;
    d->busy = true;
    __atomic_store_n(&d->shared->asked, ++d->asked, __ATOMIC_RELEASE);
    split_ring(d->entry);
}

int split_disk_take(struct split_disk *d)
{
    if (!d->busy || __atomic_load_n(&d->shared->done, __ATOMIC_ACQUIRE) != d->asked)
        return -EAGAIN;
    bool stale = d->stale;
    d->busy = d->stale = false;
    if (stale)
        return -ESTALE;
    return READ_ONCE(d->shared->status) ? -EIO : 0;
}

__init_text int split_disk_claim(struct split_disk *d, const char *name, u64 sectors, bool readonly,
                                 bool (*rung)(void *arg), void *arg)
{
    if (sectors > MAX_SECTORS)
        return -ERANGE;
    struct split_entry e = {
        BACKEND_BLOCK, readonly ? BACKEND_READONLY : 0, name, sectors, sizeof(struct backend_block), rung, arg
    };
    int entry = split_claim(&e, (void **)&d->shared);
    if (entry < 0)
        return entry;
    d->entry = (unsigned)entry;
    return 0;
}
