/* SPDX-License-Identifier: MIT */
#include <attach/attach.h>
#include <errors.h>
int attach_memory_give(paddr_t base, u64 size) { return -ENOSYS; }
int attach_memory_commit(paddr_t base, u64 size) { return -ENOSYS; }
int attach_memory_take(paddr_t base, u64 size) { return -ENOSYS; }
int attach_memory_show(paddr_t base, u64 size) { return -ENOSYS; }
u64 attach_memory_given(void) { return 0; }
