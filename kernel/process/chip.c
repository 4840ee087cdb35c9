/* SPDX-License-Identifier: MIT */
/* chip.c - processes on an SCC. Its kernels all have the same system: the record of a process says on which cores it
 * runs. */
#include <board/scc.h>

#include "process.h"

bool process_is_here(const struct process *p)
{
    return p->domain->conf->process.ues[scc_core / 32] >> scc_core % 32 & 1;
}
