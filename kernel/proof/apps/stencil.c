/* SPDX-License-Identifier: MIT */
/* stencil.c - see stencil.h. */
#include "stencil.h"

void stencil_edge(struct stencil_row *row)
{
    for (unsigned c = 0; c < STENCIL_COLUMNS; c++)
        row->at[c] = 1 + c % 17;
}

void stencil_step(struct stencil_row *to, const struct stencil_row *above, const struct stencil_row *row,
                  const struct stencil_row *below)
{
    const unsigned last = STENCIL_COLUMNS - 1;
    to->at[0] = (above->at[0] + below->at[0] + row->at[1]) * 0.25;
    for (unsigned c = 1; c < last; c++)
        to->at[c] = (above->at[c] + below->at[c] + row->at[c - 1] + row->at[c + 1]) * 0.25;
    to->at[last] = (above->at[last] + below->at[last] + row->at[last - 1]) * 0.25;
}
