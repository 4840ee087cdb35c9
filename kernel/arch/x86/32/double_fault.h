/* SPDX-License-Identifier: MIT */
/* double_fault.h - the task of double faults. */
#ifndef AMALGAM_X86_32_DOUBLE_FAULT_H
#define AMALGAM_X86_32_DOUBLE_FAULT_H

#include <arch/percpu.h>

/* Initialize the task. It starts on the stack that ends at `top`, with the kernel's page tables. */
void double_fault_prepare(struct tss *t, char *top);

#endif
