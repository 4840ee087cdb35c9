/* SPDX-License-Identifier: MIT */
/* gic.c - this core's words of the Global Interrupt Controller and of its configuration register (board/gic.h). The
 * order of stores and looks is checked by tests/model/gic_mask.pml. */
#include <arch/cpu.h>
#include <board/gic.h>
#include <core/init.h>

static u32 masked[2]; /* what this core wants, whatever its words say */
static bool off;

void scc_gic_renew(void)
{
    struct scc_shared *s = scc_shared();
    for (unsigned half = 0; half < 2; half++)
        WRITE_ONCE(s->mask[scc_core][half], READ_ONCE(masked[half]));
    WRITE_ONCE(s->configuration[scc_core], READ_ONCE(off) ? 0 : SCC_LINT0);
    mp_fence();
    const u32 *rang = s->rang[scc_core];
    if (!READ_ONCE(off) && ((READ_ONCE(rang[0]) & ~masked[0]) | (READ_ONCE(rang[1]) & ~masked[1])))
        scc_raise(scc_core);
}

void scc_gic_mask(u64 senders)
{
    WRITE_ONCE(masked[0], (u32)senders);
    WRITE_ONCE(masked[1], (u32)(senders >> 32));
    scc_gic_renew();
}

void scc_gic_forward(bool on)
{
    WRITE_ONCE(off, !on);
    scc_gic_renew();
}

u64 scc_gic_take(void)
{
    u32 taken[2];
    for (unsigned half = 0; half < 2; half++) {
        u32 *rang = &scc_shared()->rang[scc_core][half];
        taken[half] = READ_ONCE(*rang) & ~masked[half];
        if (taken[half])
            __atomic_fetch_and(rang, ~taken[half], __ATOMIC_SEQ_CST);
    }
    return (u64)taken[1] << 32 | taken[0];
}

static __init_text void gic_start(void)
{
    scc_shared()->tile[scc_core] = SCC_TILE_ID(scc_core);
    scc_gic_renew();
}
INIT_CALL(gic_start);
