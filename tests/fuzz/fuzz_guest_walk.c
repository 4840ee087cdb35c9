/* SPDX-License-Identifier: MIT */
/* guest_walk(): page tables, control registers and addresses from the input, in eight pages of RAM. */
#include "guest_walk.h"
#include "patch.h"

#define PAGES 8

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static const u64 cr4[] = { 0, 0x10, 0x20, 0x20, 0x1020 };
    u8 buf[64];

    if (size < 20)
        return 0;
    u8 *ram = malloc(PAGES * PAGE_SIZE);
    static struct vm vm;
    static struct vmcb b;
    struct vcpu v = { .vm = &vm, .hal = { .vmcb = &b } };
    unsigned mode = data[0] % ARRAY_SIZE(cr4);
    vm.memory = (struct guest_memory){ 1, { { 0, ram, PAGES * PAGE_SIZE } } };
    b.cr0 = (data[1] & 1 ? 1u << 31 : 0) | (data[1] & 2 ? 1u << 16 : 0);
    b.cr4 = cr4[mode];
    b.efer = mode >= 3 ? 0x400 : 0;
    b.cpl = data[1] & 4 ? 3 : 0;
    b.cr3 = get64(data + 2);
    u64 va = get64(data + 10);
    if (data[1] & 8)
        b.cr3 &= 0x7fff;
    for (u64 i = 0; i < PAGES * PAGE_SIZE / 8; i++) /* a dense web of tables to begin with */
        put64(ram + i * 8, (i * 0x9e5000 & 0x7000) | 0x7);
    patch(ram, PAGES * PAGE_SIZE, data + 18, size - 18);
    gpa_t gpa = guest_walk(&v, va, data[1] & 16);
    if (gpa != NO_GPA && (gpa ^ va) & (PAGE_SIZE - 1))
        abort();
    unsigned n = guest_copy(&v, va, buf, data[18] % sizeof(buf), false);
    if (n > data[18] % sizeof(buf))
        abort();
    guest_copy(&v, va + data[19], buf, n, true);
    free(ram);
    return 0;
}
