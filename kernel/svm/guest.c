/* SPDX-License-Identifier: MIT */
/* guest.c - what a guest's machine asks of its strong pages (svm/guest.h): the members, a page, a call of another one.
 */
#include <core/init.h>
#include <errors.h>
#include <svm/guest.h>

#include "state.h"

__init_text void svm_guest_choose(u64 cores, const struct svm_guest *g)
{
    svm_keep_for(g);
    svm_choose(cores);
}

void *svm_guest_memory(unsigned pages)
{
    svm_program_begins();
    return pages <= SVM_PAGES ? svm_alloc(pages * PAGE_SIZE, SVM_STRONG) : NULL;
}

void svm_guest_retired(void)
{
    svm_keep_none();
    if (svm_someone_waits())
        svm_look_again();
}

bool svm_guest_asked(void) { return svm_someone_waits(); }
int svm_guest_take(unsigned page) { return svm_own(page); }

/* One that was given up may be done later: its number tells it from the next one, as does that of a life before. */
int svm_guest_call(unsigned core, u32 what, u32 a, u32 b)
{
    static u32 number;
    struct svm_wait w;
    const u32 *done = svm_keep_done(core, scc_core);
    bool sent = false;
    if (++number == READ_ONCE(*done))
        number++;
    svm_wait_close_begin(&w, core);
    for (;;) {
        int err = sent ? 0 : svm_keep_call(core, number, what, a, b);
        if (err && err != -EAGAIN)
            return err;
        sent |= !err;
        if (__atomic_load_n(done, __ATOMIC_ACQUIRE) == number)
            return 0;
        err = svm_wait_close(&w);
        if (err)
            return err;
    }
}
