/* SPDX-License-Identifier: MIT */
/* thread_pointer.c (32 bits) - a descriptor for FS, in the table of this core. */
#include <arch/percpu.h>
#include <core/cpu.h>
#include <hal/context.h>

#define DATA_4G 0x00cf93000000ffffull /* present, writable, accessed, of 32 bits, limit 4 GiB; its base is 0 */

void thread_pointer_set(void *at)
{
    u32 base = (u32)at;
    this_cpu()->arch.gdt[SEL_PROGRAM / 8] = DATA_4G | (u64)(base & 0xffffff) << 16 | (u64)(base >> 24) << 56;
    __asm__ volatile("mov %0, %%fs" ::"r"(SEL_PROGRAM) : "memory");
}
