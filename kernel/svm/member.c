/* SPDX-License-Identifier: MIT */
/* member.c - who takes part: the cores that were chosen to boot. */
#include "state.h"

static unsigned rank_of(unsigned core)
{
    unsigned n = 0;
    for (unsigned c = 0; c < core; c++)
        n += scc_chosen(c);
    return n;
}

bool svm_is_member(unsigned core) { return scc_chosen(core); }
unsigned svm_members(void) { return rank_of(SCC_CORES); }
unsigned svm_rank(void) { return rank_of(scc_core); }

unsigned svm_member(unsigned rank)
{
    unsigned core = 0;
    while (core < SCC_CORES && (!scc_chosen(core) || rank--))
        core++;
    return core;
}
