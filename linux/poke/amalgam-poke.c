// SPDX-License-Identifier: MIT
/*
 * amalgam-poke.c - for tests of isolation: reads the word at a physical address, as any code of this kernel could, and
 * writes it with `write=1`. A write to what the kernel beneath has hidden ends the program that loads this.
 */
#include <linux/io.h>
#include <linux/module.h>

static unsigned long address;
module_param(address, ulong, 0400);
MODULE_PARM_DESC(address, "physical, of RAM that Linux has in its direct map");

static bool write;
module_param(write, bool, 0400);
MODULE_PARM_DESC(write, "also write to it");

static int __init poke_init(void)
{
    volatile u64 *word = phys_to_virt(address);

    pr_info("amalgam-poke: %#lx holds %016llx\n", address, *word);
    if (write)
        *word = 0x656b6f70; /* "poke" */
    return 0;
}

static void __exit poke_exit(void) {}

module_init(poke_init);
module_exit(poke_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Test: reads and writes physical memory");
