/* SPDX-License-Identifier: MIT */
/*
 * halt.c - stops a core for good, outside of VMX operation: a core in it holds back INIT (Intel SDM vol. 3, 24.8), by
 * which some boards reset themselves. It replaces cpu/halt.c.
 */
#include <arch/cpu.h>
#include <arch/vmx.h>
#include <core/cpu.h>
#include <hal/cpu.h>

void hal_halt(void)
{
    struct arch_cpu *a = &this_cpu()->arch;
    irq_disable();
    if (a->host_vmcb) {
        a->host_vmcb = 0; /* a panic in here halts at once */
        vmx_leave();
    }
    halt_for_good();
}
