/* SPDX-License-Identifier: MIT */
/* hello - prints how it was booted and its machine, then powers off. Command line: end=off|reset|stay. */
#include <guest.h>

void guest_main(void)
{
    static const char *const kinds[] = { "raw", "pvh", "multiboot1", "multiboot2" };
    print("hello: boot=%s cmdline=\"%s\" entered=%lu\n", kinds[boot.kind], boot.cmdline, boot.entered);
    for (unsigned i = 0; i < boot.n_ranges; i++)
        print("hello: memory %016lx +%010lx type %u\n", boot.range[i].base, boot.range[i].size, boot.range[i].type);
    struct cpuid v = cpuid(0, 0), f = cpuid(1, 0), x = cpuid(0x80000001, 0), h = cpuid(0x40000000, 0);
    uint32_t vendor[4] = { v.ebx, v.edx, v.ecx, 0 }, hv[4] = { h.ebx, h.ecx, h.edx, 0 };
    print("hello: cpu %s max=%u f1=%08x/%08x x1=%08x/%08x", (char *)vendor, v.eax, f.ecx, f.edx, x.ecx, x.edx);
    if (f.ecx >> 31)
        print(" hypervisor \"%s\" max=%x", (char *)hv, h.eax);
    print(" tsc=%lu kHz\n", tsc_khz());
    apic_enable();
    print("hello: %s id=%u version=%08x\n", apic_is_x2() ? "x2apic" : "xapic", apic_id(), apic_read(0x30));
    char end[8];
    arg_text("end", "off", end, sizeof(end));
    print("hello: end=%s\n", end);
    if (text_equal(end, "reset"))
        machine_reset();
    while (text_equal(end, "stay"))
        wait_irq();
}
