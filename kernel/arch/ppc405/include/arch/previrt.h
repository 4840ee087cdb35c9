/* SPDX-License-Identifier: MIT */
/*
 * arch/previrt.h - pre-virtualized guests: their stubs are the last PREVIRT_AREA bytes of the memory that they map from
 * the start (docs/previrtualization.md; tools/amalgam/previrt/ writes them).
 */
#ifndef AMALGAM_ARCH_PREVIRT_H
#define AMALGAM_ARCH_PREVIRT_H

#include <arch/vm.h>

#define PREVIRT_AREA  0x20000u
#define PREVIRT_REACH 0x1000000u
#define PREVIRT_NONE  0x40000000u /* vm.stubs where there are none: out of the reach of a comparison modulo 1 GiB */

/* Set vm.stubs. */
void previrt_reset(struct vm *vm);

/* Before an exception is delivered: leave the stub, backwards or forwards. */
void previrt_settle(struct vm *vm);
/* A trap instruction: true if it was a stub's, which wants the hypervisor's help. */
bool previrt_trap(struct vm *vm);

#endif
