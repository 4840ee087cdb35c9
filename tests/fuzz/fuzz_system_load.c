/* SPDX-License-Identifier: MIT */
/*
 * Whatever image `create` is pointed at, and however large it is said to be: it is refused, or it runs and can be
 * destroyed; afterwards all memory is free again, and a sound system can be created.
 *
 * The input: a size (2 bytes; 0: as the image says), an offset from the page (1 byte), the pages that are left for
 * domains (1 byte), then patches (16-bit offset, byte) of a valid table, whose checksum is made right unless the
 * first offset is 0xffff.
 */
#include "dynamic.h"

static void patch(struct sample *s, const u8 *data, size_t size)
{
    bool sign = size < 2 || data[0] != 0xff || data[1] != 0xff;
    for (size_t i = 0; i + 3 <= size; i += 3)
        ((u8 *)s)[(data[i] | data[i + 1] << 8) % offsetof(struct sample, data)] = data[i + 2];
    if (sign)
        sample_sign(s);
}

/* Take all memory but the image and about so many pages; how many pages that was, from *base on. */
static u64 hog(paddr_t image, u64 leave, paddr_t *base)
{
    if (frames_claim(image, sizeof(struct sample)))
        abort();
    u64 n = (frames_free_bytes() >> PAGE_SHIFT) - leave;
    while ((*base = frames_alloc(n, PAGE_SIZE)) == (paddr_t)-1)
        n--; /* in one piece */
    frames_free(image, sizeof(struct sample) >> PAGE_SHIFT);
    return n;
}

static void create_and_destroy(paddr_t address, u64 size)
{
    if (load(address, size)) {
        if (system_table)
            abort();
        return;
    }
    host_run(host_now + 5000000);
    if (!system_table || unload())
        abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    if (size < 4)
        return 0;
    dynamic_boot(2);
    u64 before = frames_free_bytes();
    paddr_t image = put_image();
    patch(phys_to_virt(image), data + 4, size - 4);
    paddr_t taken;
    u64 pages = data[3] < 64 ? hog(image, data[3], &taken) : 0;
    create_and_destroy(image + (data[2] & 1 ? data[2] : 0), data[0] | data[1] << 8);
    if (pages)
        frames_free(taken, pages);
    if (frames_free_bytes() != before || creations != destructions)
        abort();
    if (load(put_image(), 0) || unload() || frames_free_bytes() != before)
        abort();
    return 0;
}
