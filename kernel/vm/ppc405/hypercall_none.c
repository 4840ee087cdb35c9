/* SPDX-License-Identifier: MIT */
/* hypercall_none.c - instead of hypercall.c where there is no CONFIG_PARAVIRT: arch/ppc405/syscall.S never asks. */
#include <core/partition.h>

void hypercall(struct vm *vm, u32 number) {}
