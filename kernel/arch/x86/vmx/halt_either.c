/* SPDX-License-Identifier: MIT */
/* halt_either.c - halt.c of a kernel that has AMD-V, too: only a core whose CR4 says so is in VMX operation. */
#include <arch/cpu.h>
#include <arch/vmx.h>
#include <core/cpu.h>
#include <hal/cpu.h>

void hal_halt(void)
{
    struct arch_cpu *a = &this_cpu()->arch;
    irq_disable();
    if (a->host_vmcb && read_cr4() & CR4_VMXE) {
        a->host_vmcb = 0; /* a panic in here halts at once */
        vmx_leave();
    }
    halt_for_good();
}
