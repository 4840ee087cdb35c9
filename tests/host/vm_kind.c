/* SPDX-License-Identifier: MIT */
/* vm_kind.c - of the kinds of domains, for checks of system images, no more than a VM's check, on a PC. */
#include <core/domain.h>
#include <vm/machine_check.h>

static void __attribute__((constructor)) announce(void)
{
    static const struct domain_ops vm = { .check = machine_check };
    domain_kinds[SYS_KIND_VM] = &vm;
}
