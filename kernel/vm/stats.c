/* SPDX-License-Identifier: MIT */
/* stats.c - prints what a vCPU has counted. */
#include <core/log.h>
#include <vm/vm.h>

void vcpu_stats(const struct vcpu *v, unsigned id)
{
    static const char *const names[VCPU_EXIT_REASONS] = { "irq", "idle",   "call",  "pio",    "mmio", "cpuid",
                                                          "msr", "window", "other", "triple", "fault" };
    printk("  vcpu %u on core %u: fast %llu", id, v->core, v->hal.fast_exits);
    for (unsigned r = 0; r < VCPU_EXIT_REASONS; r++)
        if (v->hal.exits[r])
            printk(", %s %llu", names[r], v->hal.exits[r]);
    printk(", halts %llu, kicks %llu\n", v->halts, v->kicks);
}
