/* SPDX-License-Identifier: MIT */
/*
 * keep.c - pages of a guest that instructions need several at once (svm/guest.h; tests/model/svm_keep.pml).
 *
 * What has come for an instruction stays until it has retired, so that it has all at last. If all cores did only that,
 * two that have a page each and wait for the other's would wait for ever; if none did, pages would go round. So a core
 * that *waits* gives what it keeps to who is older. Age is a count that goes with each request: an instruction takes
 * the next one when it begins to ask, and keeps it; a core that is asked counts on from the asker's. So who was robbed
 * is older than whatever its robber begins next, and is not robbed by it again. Of two equal ones the core with the
 * lower number is older. A core that does not wait has all it needs, and retires.
 *
 * Another member may say any age: it gets its pages sooner, which are the same guest's.
 */
#include <core/init.h>
#include <hal/cpu.h>
#include <string.h>
#include <svm/guest.h>

#include "keep.h"
#include "state.h"

/* Pages of one instruction: two of its own, two that it reads, two that it writes; and two tables of the last one. */
#define KEPT 8u

/* A request between members of a guest. */
struct guest_request {
    struct svm_request is; /* SVM_WANT, or SVM_CALL and above: `page` and `word` are what it is called with */
    u32 age;               /* of a call: its number */
};
_Static_assert(sizeof(struct guest_request) == SVM_KEEP_BYTES, "keep.h");

static const struct svm_guest *guest;
static unsigned kept[KEPT], n_kept, oldest; /* a ring when it is full; else the oldest is the first */
static u32 count, age;                      /* 0: no instruction asks */
static u32 age_of[SCC_CORES];

/* Behind the other words: the number of the last call that a core has done, by who asked. */
struct done {
    u32 by[SCC_CORES][SCC_CORES];
};
#define DONE ((sizeof(struct svm_shared) + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE)
_Static_assert(DONE + sizeof(struct done) <= SCC_SVM_LINES - SCC_SVM_WORDS, "board/scc.h has room");

u32 *svm_keep_done(unsigned by, unsigned asker) { return &((struct done *)(SCC_SVM_WORDS + DONE))->by[by][asker]; }

__init_text void svm_keep_for(const struct svm_guest *g) { guest = g; }

void svm_keep_begin(void)
{
    unsigned long flags = irq_save();
    if (!age) {
        count = count + 1 ? count + 1 : 1;
        age = count;
    }
    irq_restore(flags);
}

void svm_keep_none(void)
{
    unsigned long flags = irq_save();
    n_kept = oldest = 0;
    age = 0;
    irq_restore(flags);
}

void svm_keep_came(unsigned page)
{
    if (n_kept < KEPT) {
        kept[n_kept++] = page;
        return;
    }
    /* A string instruction has gone on without us: the oldest page was for what is done. */
    kept[oldest] = page;
    oldest = (oldest + 1) % KEPT;
}

static bool is_kept(unsigned page)
{
    for (unsigned i = 0; i < n_kept; i++)
        if (kept[i] == page)
            return true;
    return false;
}

static void keep_without(unsigned page)
{
    unsigned was[KEPT], n = 0;
    memcpy(was, kept, sizeof(was));
    for (unsigned i = 0; i < n_kept; i++)
        if (was[(oldest + i) % KEPT] != page)
            kept[n++] = was[(oldest + i) % KEPT];
    n_kept = n;
    oldest = 0;
}

void svm_keep_goes(unsigned page)
{
    if (is_kept(page))
        keep_without(page);
    if (guest)
        guest->lose(page);
}

bool svm_keep_stays(unsigned page, unsigned from, bool waits)
{
    s32 older = (s32)(age_of[from] - age);
    return is_kept(page) && !(waits && (older < 0 || (!older && from < scc_core)));
}

unsigned svm_keep_next(u64 *left)
{
    unsigned next = SCC_CORES;
    for (unsigned core = 0; *left >> core; core++)
        if (*left >> core & 1 && (next == SCC_CORES || (s32)(age_of[core] - age_of[next]) < 0))
            next = core;
    *left &= ~(1ull << next);
    return next;
}

int svm_keep_request(unsigned to, u32 ask, u32 page, u32 word)
{
    struct guest_request r = { { ask, page, word }, age };
    return mail_request(to, &r, sizeof(r));
}

int svm_keep_call(unsigned to, u32 number, u32 what, u32 a, u32 b)
{
    struct guest_request r = { { SVM_CALL + what, a, b }, number };
    return mail_request(to, &r, sizeof(r));
}

bool svm_keep_serve(const struct mail *m, struct svm_request *want)
{
    const struct guest_request r = *(const struct guest_request *)m->data; /* in words */
    *want = r.is;
    if (r.is.ask == SVM_WANT) {
        if ((s32)(r.age - count) > 0)
            count = r.age;
        age_of[m->from] = r.age;
        return true;
    }
    if (r.is.ask >= SVM_CALL && guest && svm_is_member(m->from)) {
        guest->called(m->from, r.is.ask - SVM_CALL, r.is.page, r.is.word);
        __atomic_store_n(svm_keep_done(scc_core, m->from), r.age, __ATOMIC_RELEASE);
    } else {
        svm_count.refused++;
    }
    return false;
}
