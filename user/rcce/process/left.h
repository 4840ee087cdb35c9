/* SPDX-License-Identifier: MIT */
/*
 * left.h - which UE is not in this run any more (../meet.c), while its core's kernel lives: its program was killed and
 * has begun anew, or its buffer was cleared. Also those who wait for it in the last barrier see that. Who has come
 * through that barrier begins what it likes, while others are not through yet.
 */
#ifndef AMALGAM_USER_RCCE_LEFT_H
#define AMALGAM_USER_RCCE_LEFT_H

#include "../rcce.h"

/* Returns the number + 1 of such a UE's core; 0: there is none, or this UE is in no run. */
static inline u32 rcce_left(void)
{
    u32 said = rcce_look(&rcce.own->life);
    if (!rcce.calls->met[rcce.calls->core] || rcce_look(&rcce.own->ended))
        return 0;
    for (int i = 0; i < rcce.n; i++)
        if (rcce_look(&rcce.mpb[i]->life) != said && !rcce_look(&rcce.mpb[i]->ended))
            return (u32)rcce.core[i] + 1;
    return 0;
}

#endif
