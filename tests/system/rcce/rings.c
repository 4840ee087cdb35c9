/* SPDX-License-Identifier: MIT */
/* `rings STEPS RANG MAIL`: rings anybody by the device of a fleet, half of the numbers are no core's, and says in all
 * words of the Global Interrupt Controller, of who sent mail and who asked, that everybody did. RANG and MAIL are their
 * places in struct scc_shared (board/scc.h). A native program is in kernel mode, so it can. */
#include <RCCE.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SLICE    0x1000000u
#define SHARED   0x80000000u
#define WINDOW   0xc0000000u
#define DOORBELL 0xfeb0000cu /* the device's register (tools/amalgam/board/scc_fleet.py) */
#define LARGE    0x400000u
#define UNCACHED 0x93u /* present, writable, large */

enum { CORES = 48, MAIL_WORDS = 8, ASKED = 3 };

static uint32_t any(void)
{
    static uint32_t state = 88172645;
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

int RCCE_APP(int argc, char **argv)
{
    uint32_t cr3;
    RCCE_init(&argc, &argv);
    __asm__ volatile("mov %%cr3, %0" : "=r"(cr3));
    ((uint32_t *)(uintptr_t)(cr3 % SLICE))[WINDOW / LARGE] = DOORBELL / LARGE * LARGE | UNCACHED;
    __asm__ volatile("mov %0, %%cr3" ::"r"(cr3) : "memory");
    volatile uint32_t *bell = (volatile uint32_t *)(uintptr_t)(WINDOW + DOORBELL % LARGE);
    uint32_t *rang = (uint32_t *)(uintptr_t)(SHARED + (uint32_t)atoi(argv[2]));
    uint32_t *mail = (uint32_t *)(uintptr_t)(SHARED + (uint32_t)atoi(argv[3]));
    int steps = atoi(argv[1]);
    for (int i = 0; i < steps; i++) {
        unsigned core = any() % CORES, word = any() % 2;
        switch (any() % 4) {
        case 0: *bell = any(); break;
        case 1: *bell = core << 16; break;
        case 2: __atomic_fetch_or(&rang[2 * core + word], any(), __ATOMIC_SEQ_CST); break;
        default: __atomic_fetch_or(&mail[MAIL_WORDS * core + word + (any() % 2 ? ASKED : 0)], any(), __ATOMIC_SEQ_CST);
        }
    }
    printf("rings: %d steps\n", steps);
    RCCE_finalize();
    return 0;
}
