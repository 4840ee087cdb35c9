/* SPDX-License-Identifier: MIT */
/* device_none.c - instead of device.c and device.S where there is no CONFIG_FAST, no CONFIG_CONSOLE or no CONFIG_TLBV.
 */
#include "mmu.h"

bool device_fault(struct vm *vm, u32 *vector, u32 ea, u32 need, u32 *esr) { return false; }
void show_device(struct vm *vm, u32 pid, u32 ea, const struct view *v) {}
