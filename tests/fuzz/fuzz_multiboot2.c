/* SPDX-License-Identifier: MIT */
/* multiboot2_parse(): first byte even, patches to a valid structure; odd, the structure itself. */
#include <arch/boot_parse.h>
#include "patch.h"

static u32 put_tag(u8 *p, u32 at, u32 type, u32 size)
{
    put32(p + at, type);
    put32(p + at + 4, size);
    return at + ALIGN_UP(size, 8);
}

static u32 build(u8 *p)
{
    u32 at = put_tag(p, 8, 1, 16), map;
    at = put_tag(p, at, 3, 17);
    put32(p + at - 16, 0x100000);
    put32(p + at - 12, 0x200000);
    map = at;
    at = put_tag(p, at, 6, 16 + 3 * 24);
    put32(p + map + 8, 24);
    put64(p + map + 24, 0x9fc00);
    put32(p + map + 32, 1);
    at = put_tag(p, at, 14, 28);
    at = put_tag(p, at, 15, 44);
    at = put_tag(p, at, 0, 8);
    put32(p, at);
    return at;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct boot_info bi;
    u8 image[512] = { 0 };

    if (!size)
        return 0;
    u64 n = *data & 1 ? MIN(size - 1, sizeof(image)) : build(image);
    if (*data & 1)
        memcpy(image, data + 1, n);
    else
        patch(image, n, data + 1, size - 1);
    u8 *exact = malloc(n ? n : 1);
    memcpy(exact, image, n);
    multiboot2_parse(exact, 0x1000, n, &bi);
    free(exact);
    if (bi.n_regions > BOOT_MAX_REGIONS || !__builtin_memchr(bi.cmdline, 0, sizeof(bi.cmdline)))
        abort();
    return 0;
}
