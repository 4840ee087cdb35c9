/* SPDX-License-Identifier: MIT */
/* no_hypercall.c - instead of hypercall.c where there is no CONFIG_PARAVIRT: `sc` is always the guest's own. */
#include <arch/deliver.h>
#include <core/partition.h>

void hypercall(struct vm *vm, u32 number) { deliver(vm, VEC_SC); }
