/* SPDX-License-Identifier: MIT */
/*
 * crash - a guest that ends badly: mode=triple (a fault without a descriptor table), ud (an exception that the guest
 * reports), hang (HLT with interrupts off), spin (a loop without exits), smp (CPU 1 triple-faults while CPU 0 works),
 * reset, beyond (reads and writes where the machine has neither memory nor device), jump (executes there), state (a CR0
 * that VMRUN refuses).
 */
#include <guest.h>

static void triple_fault(void)
{
    static const struct __attribute__((packed)) {
        uint16_t limit;
        uint64_t base;
    } none;
    __asm__ volatile("lidt %0; ud2" : : "m"(none));
}

#define NOTHING 0x40000000ul /* above the memory, below the devices */

static void reach_beyond(void)
{
    volatile uint64_t *nothing = (uint64_t *)NOTHING;
    *nothing = 0;
    print("crash: beyond read %016lx\n", *nothing);
}

void guest_main(void)
{
    char mode[16];
    arg_text("mode", "triple", mode, sizeof(mode));
    print("crash: mode=%s\n", mode);
    if (text_equal(mode, "triple")) {
        triple_fault();
    } else if (text_equal(mode, "ud")) {
        __asm__ volatile("ud2");
    } else if (text_equal(mode, "hang")) {
        __asm__ volatile("cli; hlt");
    } else if (text_equal(mode, "spin")) {
        for (;;)
            cpu_relax();
    } else if (text_equal(mode, "smp")) {
        apic_enable();
        smp_start(1, triple_fault);
        for (;;)
            cpu_relax();
    } else if (text_equal(mode, "reset")) {
        machine_reset();
    } else if (text_equal(mode, "beyond")) {
        reach_beyond();
    } else if (text_equal(mode, "jump")) {
        ((void (*)(void))NOTHING)();
    } else if (text_equal(mode, "state")) {
        __asm__ volatile("mov %%cr0, %%rax; bts $29, %%rax; mov %%rax, %%cr0; cpuid" : : : "rax", "rbx", "rcx", "rdx");
    }
    print("crash: still here\n");
}
