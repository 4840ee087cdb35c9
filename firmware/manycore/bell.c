/* SPDX-License-Identifier: MIT */
/*
 * bell.c - raises a hart's supervisor software interrupt, by which kernels wake their harts. A board with ACLINT SSWI
 * has a register for it. On a board without (a fleet) a hart can only raise its own, so the firmware of the target hart
 * is rung by MSWI and raises it.
 */
#include "csr.h"
#include "hart.h"

void bell_ring(u32 hart)
{
    if (is_fleet()) {
        __atomic_store_n(&harts[hart].rung, 1, __ATOMIC_RELAXED);
        mswi_ring(hart);
    } else {
        *reg32(SSWI + 4ul * hart) = 1;
    }
}

void bell_rung(struct hart *me)
{
    if (__atomic_exchange_n(&me->rung, 0, __ATOMIC_ACQ_REL))
        csr_set(mip, IRQ_SS);
}

/* A read of MTOPEI claims the interrupt. Its number is not needed, because only one is enabled. */
void bell_foreign(void)
{
    csr_write(MTOPEI, 0);
    csr_set(mip, IRQ_SS);
}
