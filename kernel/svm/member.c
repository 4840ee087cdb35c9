/* SPDX-License-Identifier: MIT */
/* member.c - the members: the cores that were chosen to boot, or those of them that run a process (svm/space.h). They
 * do not change after boot. */
#include <core/init.h>

#include "state.h"

static u8 member[SCC_CORES];
static unsigned members, rank;

bool svm_is_member(unsigned core) { return scc_chosen(core); }
unsigned svm_members(void) { return members; }
unsigned svm_rank(void) { return rank; }
unsigned svm_member(unsigned number) { return member[number]; }

__init_text void svm_choose(u64 cores)
{
    members = 0;
    for (unsigned core = 0; core < SCC_CORES; core++) {
        if (!scc_chosen(core) || !(cores >> core & 1))
            continue;
        if (core == scc_core)
            rank = members;
        member[members++] = (u8)core;
    }
}

static __init_text void members_start(void) { svm_choose(~0ull); }
INIT_CALL(members_start);
