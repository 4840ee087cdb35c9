/* SPDX-License-Identifier: MIT */
/* signals.h - the signals of barriers (kernel/svm/sync.c) between the core under test and the others, whom a test
 * plays. */
#ifndef HOST_SVM_SIGNALS_H
#define HOST_SVM_SIGNALS_H

#include <svm/state.h>

/* Returns what counts the barriers of an epoch which `to` was told of. */
static inline u16 signals_counted(unsigned to, u16 epoch)
{
    u16 most = 0;
    for (unsigned turn = 0; turn < 2; turn++) {
        u32 word = svm_shared()->arrived[turn][0][to].word;
        if (word >> 16 == epoch && (u16)word > most)
            most = (u16)word;
    }
    return most;
}

/* The kernels of all cores run, and say so to whoever meets them. */
static inline void kernels_run(void)
{
    for (unsigned core = 0; core < SCC_CORES; core++)
        scc_shared()->up[core] = svm_shared()->epoch[core].kernel = core + 1;
}

/* All that signal to `to` say the same. */
static inline void signals_set(unsigned to, u32 word)
{
    for (unsigned turn = 0; turn < 2; turn++)
        for (unsigned round = 0; round < SVM_ROUNDS; round++)
            svm_shared()->arrived[turn][round][to].word = word;
}

#endif
