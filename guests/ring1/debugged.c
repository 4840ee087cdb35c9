/* SPDX-License-Identifier: MIT */
/*
 * debugged.c - a guest in ring 1 that a debugger looks at: a function that is called again and again, with an
 * instruction that traps; a page that lies elsewhere than its address says and is never touched there; and entries of
 * its tables that lead nowhere.
 */
#include "ring1.h"

#define ALIAS   0x4a0000u /* of `page`, never used */
#define OUTSIDE 0x4a1000u /* an address that the guest's memory does not have */
#define ABSENT  0x4a2000u
#define LOOP    0x80000000u /* the directory itself, as a table */
#define BEYOND  0x90000000u /* a table outside of the guest's memory */

const char page[PAGE] __attribute__((aligned(4096))) = "by the guest's own tables";

__attribute__((noinline)) uint32_t target(uint32_t n)
{
    uint32_t value;
    __asm__ volatile(".globl trapping\ntrapping: mov %%cr0, %0\n.globl behind\nbehind: nop" : "=r"(value));
    return value + n;
}

int main(void)
{
    ring1_tables();
    uint32_t *directory = (uint32_t *)AMALGAM_SHARED(AMALGAM_SHARE_CR3);
    *ring1_entry(ALIAS) = (uint32_t)page | 5;
    *ring1_entry(OUTSIDE) = 0x70000000u | 7;
    *ring1_entry(ABSENT) = 0;
    directory[LOOP >> 22] = (uint32_t)directory | 3;
    directory[BEYOND >> 22] = 0xf0000000u | 3;
    print("debugged: ready\n");
    for (uint32_t n = 0;; n++)
        target(n);
}
