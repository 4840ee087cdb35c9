/* SPDX-License-Identifier: MIT */
/* guest_walk(): page tables, control registers and addresses from the input, in eight pages of RAM. */
#include <arch/guest_walk.h>
#include "patch.h"

#define PAGES 8

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static const u64 cr4[] = { 0, 0x10, 0x20, 0x20, 0x1020 };
    u8 buf[64];
    gpa_t gpa;

    if (size < 20)
        return 0;
    u8 *ram = malloc(PAGES * PAGE_SIZE);
    struct guest_memory mem = { 1, { { 0, ram, PAGES * PAGE_SIZE } } };
    unsigned mode = data[0] % ARRAY_SIZE(cr4);
    struct guest_paging p = { &mem,
                              .cr0 = (data[1] & 1 ? 1u << 31 : 0) | (data[1] & 2 ? 1u << 16 : 0),
                              .cr4 = cr4[mode],
                              .efer = mode >= 3 ? 0x400 : 0,
                              .user = data[1] & 4,
                              .cr3 = get64(data + 2) };
    u64 va = get64(data + 10);
    if (data[1] & 8)
        p.cr3 &= 0x7fff;
    for (u64 i = 0; i < PAGES * PAGE_SIZE / 8; i++) /* a dense web of tables to begin with */
        put64(ram + i * 8, (i * 0x9e5000 & 0x7000) | 0x7);
    patch(ram, PAGES * PAGE_SIZE, data + 18, size - 18);
    if (!guest_walk(&p, va, data[1] & 16, &gpa) && ((gpa ^ va) & (PAGE_SIZE - 1)))
        abort();
    u64 n = guest_read_va(&p, va, buf, data[18] % sizeof(buf));
    if (n > data[18] % sizeof(buf))
        abort();
    guest_write_va(&p, va + data[19], buf, n);
    free(ram);
    return 0;
}
