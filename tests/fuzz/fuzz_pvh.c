/* SPDX-License-Identifier: MIT */
/* pvh_parse(): patches to a valid start info with map, module and command line in one KiB. */
#include <arch/boot_parse.h>
#include "patch.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct boot_info bi;
    u8 *s = fuzz_ram;

    memset(fuzz_ram, 0, 1024);
    put32(s, PVH_MAGIC);
    put32(s + 4, 1);
    put32(s + 12, 1);
    put64(s + 16, 0x100);
    put64(s + 24, 0x200);
    put64(s + 40, 0x80);
    put32(s + 48, 3);
    put64(s + 0x88, 0x9fc00);
    put32(s + 0x90, 1);
    memset(s + 0x200, 'x', 0x200); /* a command line longer than we take */
    patch(s, 1024, data, size);
    pvh_parse(0, fuzz_map, &bi);
    fuzz_unmap_all();
    if (bi.n_regions > BOOT_MAX_REGIONS || !memchr(bi.cmdline, 0, sizeof(bi.cmdline)))
        abort();
    return 0;
}
