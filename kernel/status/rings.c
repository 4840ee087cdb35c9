/* SPDX-License-Identifier: MIT */
/*
 * rings.c - counts how often the ends of channels ring: all that the kernel sees of what goes over a channel, whose
 * memory it does not read. The counter stands before the channels' own function (core/channel.h), in systems that give
 * somebody the status only.
 */
#include <core/channel.h>
#include <core/domain.h>

#include "status.h"

static struct channel_ops counted;
static const struct channel_ops *under;
static u32 rings[SYS_MAX_CHANNELS][2];

static int ring(const struct domain *d, unsigned number)
{
    unsigned side = sys_channel(system_table, number)->domain_a != d->id;
    __atomic_fetch_add(&rings[number][side], 1, __ATOMIC_RELAXED);
    return under->ring(d, number);
}

__init_text void status_count_rings(void)
{
    if (under || !channel_ops)
        return;
    under = channel_ops;
    counted = *under;
    counted.ring = ring;
    channel_ops = &counted;
}

u32 status_rings(unsigned channel, unsigned side) { return READ_ONCE(rings[channel][side]); }
