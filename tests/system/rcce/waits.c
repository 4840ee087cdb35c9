/* SPDX-License-Identifier: MIT */
/* waits.c - UE 1 comes to no barrier, and the others wait for it there. */
#include <RCCE.h>

int RCCE_APP(int argc, char **argv)
{
    RCCE_init(&argc, &argv);
    RCCE_barrier(&RCCE_COMM_WORLD);
    printf("waits: UE %d\n", RCCE_ue());
    fflush(stdout);
    for (volatile unsigned n = 0; RCCE_ue() == 1; n++)
        ;
    RCCE_barrier(&RCCE_COMM_WORLD);
    return 0;
}
