/* SPDX-License-Identifier: MIT */
/* ring.c - this core's end of the ring that carries its text to core 0. */
#include "ring.h"

#include <arch/cpu.h>
#include <board/scc.h>
#include <hal/time.h>

/* Of 2^24 ticks, some 30 ms: core 0 is busy with other things for two seconds at most (hurry.c). */
#define PATIENCE 256u

static u32 printed = ~0u, since; /* what core 0 had printed when this was seen to change, and when */

bool ring_lives(void)
{
    u32 now = (u32)(time_now() >> 24), is = READ_ONCE(scc_shared()->printed);
    if (is != printed)
        since = now;
    printed = is;
    return now - since < PATIENCE;
}

unsigned ring_put(const u8 *bytes, unsigned n)
{
    struct scc_ring *r = &scc_shared()->ring[scc_core];
    u32 head = r->head, used = head - __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE);
    unsigned room = used < SCC_RING_SIZE ? SCC_RING_SIZE - used : 0; /* a wrong tail is a full ring */
    n = MIN(n, room);
    for (unsigned i = 0; i < n; i++)
        r->text[(head + i) % SCC_RING_SIZE] = bytes[i];
    __atomic_store_n(&r->head, head + n, __ATOMIC_RELEASE);
    if (n)
        scc_bell(0);
    return n;
}

/* Ask to be rung when there is room. Core 0 may have made room before it could see that, so this core then rings
 * itself. */
void ring_await_room(bool wait)
{
    struct scc_ring *r = &scc_shared()->ring[scc_core];
    WRITE_ONCE(r->full, wait);
    mp_fence();
    if (wait && r->head - READ_ONCE(r->tail) < SCC_RING_SIZE)
        scc_bell(scc_core);
}
