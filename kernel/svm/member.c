/* SPDX-License-Identifier: MIT */
/* member.c - the members: the cores that were chosen to boot. They never change. */
#include <core/init.h>

#include "state.h"

static u8 member[SCC_CORES];
static unsigned members, rank;

bool svm_is_member(unsigned core) { return scc_chosen(core); }
unsigned svm_members(void) { return members; }
unsigned svm_rank(void) { return rank; }
unsigned svm_member(unsigned number) { return member[number]; }

static __init_text void start(void)
{
    for (unsigned core = 0; core < SCC_CORES; core++) {
        if (!scc_chosen(core))
            continue;
        if (core == scc_core)
            rank = members;
        member[members++] = (u8)core;
    }
}
INIT_CALL(start);
