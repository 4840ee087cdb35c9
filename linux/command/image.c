/* SPDX-License-Identifier: MIT */
/* image.c - reads from a system image (kernel/include/core/system_table.h) what `domain create` needs to plan. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "image.h"
#include "../../kernel/include/core/system_table.h"

#define REBUILD "./amalgam build SYSTEM makes one: build/systems/NAME.img"

/* Add up the memory that the image asks for. Returns false if its tables lie outside of it or ask for too much. */
static bool add_up(const struct sys_header *h, struct image *image)
{
    const char *base = image->bytes;
    const struct sys_domain *d = (const void *)(base + h->off_domains);
    const struct sys_channel *c = (const void *)(base + h->off_channels);
    if (h->n_domains > SYS_MAX_DOMAINS || h->off_domains % 8 || h->off_channels % 4 ||
        h->off_domains + h->n_domains * sizeof(*d) > image->size ||
        h->off_channels + h->n_channels * sizeof(*c) > image->size)
        return false;
    for (unsigned i = 0; i < h->n_domains; i++)
        image->memory += d[i].memory;
    for (unsigned i = 0; i < h->n_channels; i++)
        image->memory += c[i].size;
    image->cores = h->n_cores;
    return image->cores && image->cores <= IMAGE_MAX_CORES && image->memory < 1ull << 46;
}

int image_open(const char *path, struct image *image)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &about))
        return fail(REBUILD, "%s: %s", path, strerror(errno));
    image->size = (u64)about.st_size;
    if (image->size < sizeof(struct sys_header))
        return fail(REBUILD, "%s is no system image: it is too short", path);
    image->bytes = mmap(NULL, image->size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (image->bytes == MAP_FAILED)
        return fail("", "%s: %s", path, strerror(errno));
    const struct sys_header *h = image->bytes;
    if (h->magic != SYS_MAGIC)
        return fail(REBUILD, "%s is no system image", path);
    if (h->version != SYS_VERSION)
        return fail(REBUILD, "%s is a system image of version %u, this command knows %u", path, h->version,
                    SYS_VERSION);
    return h->image_size == image->size && add_up(h, image) ? DONE
                                                            : fail(REBUILD, "%s is a damaged system image", path);
}
