/* SPDX-License-Identifier: MIT */
/*
 * alloc.c - regions, which all members create and change together.
 *
 * Each member writes its arguments down, and after a barrier reads the others'. All further steps depend on these only,
 * so all members do the same without another message. A second barrier, the last step of each call, right or wrong,
 * keeps a fast member's next call from overwriting arguments that a slow one still reads.
 *
 * If one member alone reads rubbish in place of another one's arguments, the call has failed there only, and the others
 * would wait for it in their next one. So each also writes down before the last barrier what the call has come to. Who
 * reads behind it that another one's is not the same leaves, and so all others get an error (meet.c).
 *
 * A page's first owner, which clears it, is the member in whose part of the region it lies: the region is divided into
 * as many parts as there are members, in the order of their ranks. It keeps its owner when the region becomes read-only
 * and strong again, so that a program can say by phases who writes: no page moves, and each core maps what it reads.
 */
#include <core/frames.h>
#include <core/log.h>
#include <errors.h>
#include <hal/memory.h>

#include "state.h"

/* Who sees a difference is not alone: each member has seen another call. */
int svm_agree(u32 bytes, u32 model, u32 address)
{
    struct svm_shared *s = svm_shared();
    struct svm_call *mine = &s->call[scc_core];
    WRITE_ONCE(mine->bytes, bytes);
    WRITE_ONCE(mine->model, model);
    WRITE_ONCE(mine->address, address);
    int err = svm_barrier();
    for (unsigned number = 0, n = svm_members(); number < n && !err; number++) {
        const struct svm_call *other = &s->call[svm_member(number)];
        u32 theirs[] = { READ_ONCE(other->bytes), READ_ONCE(other->model), READ_ONCE(other->address) };
        if (!((theirs[0] ^ bytes) | (theirs[1] ^ model) | (theirs[2] ^ address)))
            continue;
        if (!svm_is_outside())
            printk("svm: this core asks for %u bytes, model %u at %x; core %u: %u, %u, %x\n", bytes, model, address,
                   svm_member(number), theirs[0], theirs[1], theirs[2]);
        err = -EINVAL;
    }
    return err;
}

/* Returns whether the call has come to the same at all members. */
static bool all_say(enum svm_outcome outcome)
{
    for (unsigned number = 0, n = svm_members(); number < n; number++)
        if (READ_ONCE(svm_shared()->call[svm_member(number)].outcome) != outcome)
            return false;
    return true;
}

int svm_finish(int err)
{
    if (err == -ETIMEDOUT || err == -ECANCELED)
        return err;
    enum svm_outcome outcome = err ? SVM_FAILED : SVM_DONE;
    WRITE_ONCE(svm_shared()->call[scc_core].outcome, outcome);
    int last = svm_barrier();
    if (last)
        return last;
    if (!all_say(outcome)) {
        svm_leave();
        return -EPIPE;
    }
    return err;
}

/* Return this member's part of a region: pages [*from, *to). */
static void part(unsigned first, unsigned pages, unsigned *from, unsigned *to)
{
    unsigned n = svm_members(), rank = svm_rank();
    *from = first + rank * pages / n;
    *to = first + (rank + 1) * pages / n;
}

/* Become the owner of this member's part; `all`: also of pages that a member owns already. */
static void own_part(const struct svm_region *r, bool all)
{
    unsigned from, to;
    part(r->first, r->pages, &from, &to);
    for (unsigned page = from; page < to; page++)
        if (all || !svm_is_member(svm_owner(READ_ONCE(svm_shared()->owner[page]))))
            svm_own_first(page);
}

/* Unmap what the new model does not show before an access. Pages that this core owns stay. */
static void change_shown(const struct svm_region *r, enum svm_model model)
{
    unsigned end = r->first + r->pages;
    for (unsigned page = svm_next_shown(r->first); page < end; page = svm_next_shown(page + 1))
        if (model != SVM_TWINS && svm_owner(READ_ONCE(svm_shared()->owner[page])) == scc_core)
            svm_show(page, model != SVM_READ_ONLY);
        else
            svm_hide(page);
}

/* Returns false: there is no memory for this member's part. */
static bool clear(unsigned first, unsigned pages)
{
    unsigned from, to;
    part(first, pages, &from, &to);
    for (unsigned page = from; page < to; page++) {
        if (!svm_frame_first(page))
            return false;
        svm_show(page, true);
    }
    clear_pages((void *)svm_address(from), to - from);
    for (unsigned page = from; page < to; page++)
        svm_hide(page);
    return true;
}

/* Memory for copies, before the members agree: who has none says so by a call that is like no other one. */
static u8 *room(unsigned pages, enum svm_model model)
{
    return model == SVM_TWINS && pages <= svm_most() ? pages_alloc(2 * pages) : NULL;
}

void svm_room_free(u8 *copies, unsigned pages)
{
    if (copies)
        frames_free(virt_to_phys(copies), 2 * pages);
}

void *svm_alloc(size_t bytes, enum svm_model model)
{
    unsigned pages = bytes / PAGE_SIZE + (bytes % PAGE_SIZE != 0);
    u8 *copies = room(pages, model);
    bool failed = model == SVM_TWINS && !copies;
    int err = svm_agree(failed ? 0 : bytes, failed ? SVM_MODELS : model, scc_core * failed);
    if (!err && (!bytes || model >= SVM_MODELS))
        err = -EINVAL;
    struct svm_region *r = err || failed ? NULL : svm_region_add(pages, model);
    if (!r) {
        if (!err || (failed && err == -EINVAL))
            err = -ENOMEM;
        if (!svm_is_outside())
            printk("svm: no region of %u bytes, model %u: error %d\n", (u32)bytes, model, err);
        svm_room_free(copies, pages);
        svm_failed(svm_finish(err));
        return NULL;
    }
    r->copies = copies;
    if (!clear(r->first, pages)) {
        svm_leave(); /* the others need not wait */
        svm_failed(-ENOMEM);
        return NULL;
    }
    if (svm_has_owner(model))
        own_part(r, true);
    return svm_failed(svm_finish(0)) ? NULL : (void *)svm_address(r->first);
}

int svm_change(void *at, enum svm_model model)
{
    struct svm_region *r = svm_region_at((uintptr_t)at);
    if (r && !r->copies)
        r->copies = room(r->pages, model);
    bool failed = r && model == SVM_TWINS && !r->copies;
    int err = svm_agree(0, failed ? SVM_MODELS : model, failed ? scc_core : (u32)(uintptr_t)at);
    if (!err && (!r || failed || model >= SVM_MODELS))
        err = -EINVAL;
    if (err) {
        err = svm_finish(err);
        return failed && err == -EINVAL ? -ENOMEM : err;
    }
    change_shown(r, model);
    if (svm_has_owner(model))
        own_part(r, false);
    r->model = model;
    return svm_finish(0);
}
