/* SPDX-License-Identifier: MIT */
/* pvh_parse(): patches to a valid start info with map, module and command line in one KiB. */
#include <arch/boot_parse.h>
#include "images.h"
#include "patch.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct boot_info bi;

    memset(fuzz_ram, 0, 1024);
    image_pvh(fuzz_ram, 0, 0x100, 0x200, 0x80, 3);
    image_pvh_region(fuzz_ram, 0x80, 0, 0x9fc00, 1);
    memset(fuzz_ram + 0x200, 'x', 0x200); /* a command line longer than we take */
    patch(fuzz_ram, 1024, data, size);
    pvh_parse(0, fuzz_map, &bi);
    fuzz_unmap_all();
    if (bi.n_regions > BOOT_MAX_REGIONS || !__builtin_memchr(bi.cmdline, 0, sizeof(bi.cmdline)))
        abort();
    return 0;
}
