/* SPDX-License-Identifier: MIT */
/* main.c - body.h on two Pentiums. */
#include "board.h"
#include "../body.h"

void main_core(u32 core);
void main_core(u32 core)
{
    if (core == 1)
        bell_ring(0); /* it is up */
    else if (!core)
        bell_wait();
    if (core < 2)
        run(core, (enum variant) * VARIANT, SHARED, PRIVATE);
}
