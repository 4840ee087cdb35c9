/* SPDX-License-Identifier: MIT */
/* `foreign MARK CORES`: looks for the other cores' own memory where the board of one emulator has it, 16 MiB for each
 * from 16 MiB * (core + 1) on, by an entry of its own in the page directory: a native program is in kernel mode. Each
 * UE has MARK at the end of its own kernel's 5 MiB, where nothing else is; who finds it elsewhere says where. */
#include <RCCE.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SLICE   0x1000000u
#define PAGE    0x400000u   /* a large one */
#define WINDOW  0xc0000000u /* nobody's addresses in a kernel without processes */
#define PRESENT 0x83u       /* and writable, and large */
#define MARK_AT 0x7ff000u   /* of a core's memory, below the system image */

static volatile uint32_t *look(uint32_t board)
{
    uint32_t cr3;
    __asm__ volatile("mov %%cr3, %0" : "=r"(cr3));
    uint32_t *root =
        (uint32_t *)(uintptr_t)(cr3 % SLICE); /* memory is mapped one to one, a slice begins at a multiple */
    root[WINDOW / PAGE] = board / PAGE * PAGE | PRESENT;
    __asm__ volatile("mov %0, %%cr3" ::"r"(cr3) : "memory");
    return (volatile uint32_t *)(uintptr_t)(WINDOW + board % PAGE);
}

int RCCE_APP(int argc, char **argv)
{
    RCCE_init(&argc, &argv);
    int cores = atoi(argv[2]);
    uint32_t mark = (uint32_t)strtoul(argv[1], NULL, 16), found = 0, kept = 0;
    volatile uint32_t *own = (volatile uint32_t *)MARK_AT;
    uint32_t was = *own;
    *own = mark + (uint32_t)RCCE_ue();
    RCCE_barrier(&RCCE_COMM_WORLD);
    for (int core = 0; core < cores; core++) {
        volatile uint32_t *at = look(SLICE * (uint32_t)(core + 1) + MARK_AT);
        uint32_t there = *at;
        if (there - mark < (uint32_t)RCCE_num_ues() && there != *own) {
            found++;
        } else if (there != *own) {
            *at = ~mark; /* nobody's memory */
            kept += *at == ~mark;
            *at = there;
        }
    }
    RCCE_barrier(&RCCE_COMM_WORLD);
    printf("foreign: UE %d found the marks of %u others; %u places kept what was written\n", RCCE_ue(), (unsigned)found,
           (unsigned)kept);
    *own = was;
    RCCE_finalize();
    return 0;
}
