/* SPDX-License-Identifier: MIT */
/* machine_read(): patches to one of two valid device trees, whose blob ends where the memory ends. */
#include <arch/boot.h>
#include "fdt_image.h"
#include "patch.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static struct boot_info bi;
    static struct machine m;
    u8 *blob = malloc(FDT_IMAGE);
    if (size && data[0] & 1)
        fdt_image_listed(blob);
    else
        fdt_image(blob);
    patch(blob, FDT_IMAGE, data, size);
    int err = machine_read(blob, FDT_IMAGE, &bi, &m);
    free(blob);
    if (bi.n_regions > BOOT_MAX_REGIONS || !__builtin_memchr(bi.cmdline, 0, sizeof(bi.cmdline)))
        abort();
    if (!err && (!m.n_harts || m.n_harts > MAX_CPUS || !m.time_hz || (bi.n_kernels && bi.self >= bi.n_kernels)))
        abort();
    return 0;
}
