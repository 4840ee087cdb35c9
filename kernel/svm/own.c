/* SPDX-License-Identifier: MIT */
/*
 * own.c - a strong page has one owner, and only the owner maps it (tests/model/svm_owner.pml).
 *
 * The owner's word is in shared memory, and only the owner writes it. A core that wants the page sends the owner a
 * request that names the word's value, and waits until the word changes. If it then names the requesting core, the page
 * is its own; otherwise the page has gone to another core, which is asked next. The owner handles a request in its
 * interrupt: unmap the page, drain its writes, write the word, in this order. A request with an old value of the word
 * is late and dropped: its sender has seen the change, or will.
 *
 * A page that comes stays until the thread that waits for it has it, and for HOLD_NS from then on. Otherwise cores
 * could pass a page round for ever, and none would make its access. Requests wait meanwhile.
 *
 * A fault and a request cannot interleave: the check of the word and the mapping are one piece with interrupts off.
 *
 * A page that is written once is such a page until another core asks to read it. Its owner then keeps it read-only,
 * and the word names all cores and does not change any more (tests/model/svm_once.pml).
 */
#include <core/init.h>
#include <core/timer.h>
#include <core/wait.h>
#include <errors.h>
#include <hal/cache.h>
#include <hal/cpu.h>
#include <string.h>

#include "state.h"

#define HOLD_NS 10000ull
#define HELD    4u /* at least the pages that one instruction may need at once */
#define CHASES  100000u

static struct {
    u32 page, word;
    u8 ask;
    bool waits;
} later[SCC_CORES]; /* waiting requests, by sender */
static bool any_later;

static struct {
    unsigned page;
    ticks_t until;
} held[HELD];
static unsigned next_held;
static unsigned awaited = SVM_PAGES; /* the page that a thread of this core waits for */
static struct timer hold;
static ticks_t hold_ticks;  /* HOLD_NS */
static struct mutex taking; /* a core asks for one page at a time */

/* Hold a page that has come. Requests that wait for it are handled afterwards. Interrupts must be off. */
static void hold_page(unsigned page)
{
    awaited = SVM_PAGES;
    if (SVM_KEEP) {
        svm_keep_came(page);
        return;
    }
    ticks_t until = time_now() + hold_ticks;
    held[next_held].page = page;
    held[next_held].until = until;
    next_held = (next_held + 1) % HELD;
    if (any_later)
        timer_arm(&hold, until);
}

/* Returns when a page may leave to a core; 0: now; TICKS_NEVER: not before it has come and is held. */
static ticks_t held_until(unsigned page, unsigned to)
{
    if (page == awaited)
        return TICKS_NEVER;
    if (SVM_KEEP)
        return svm_keep_stays(page, to, awaited != SVM_PAGES) ? TICKS_NEVER : 0;
    for (unsigned i = 0; i < HELD; i++)
        if (held[i].page == page && held[i].until > time_now())
            return held[i].until;
    return 0;
}

/* Give a page away, in this order: a core that sees the new word sees all that was written, and no other core maps
 * the page. */
static void give(unsigned page, u32 word, unsigned to)
{
    svm_mark_leave(page);
    if (SVM_KEEP)
        svm_keep_goes(page);
    svm_hide(page);
    svm_drain();
    svm_count.given++;
    __atomic_store_n(&svm_shared()->owner[page], svm_owned_by(word, to), __ATOMIC_RELEASE);
}

/* The writing ends: in the same order, with this core's own map read-only. */
static void publish(unsigned page, u32 word)
{
    svm_mark_leave(page);
    svm_show(page, false);
    svm_drain();
    svm_count.given++;
    __atomic_store_n(&svm_shared()->owner[page], svm_owned_by(word, OWNER_ALL), __ATOMIC_RELEASE);
}

static bool may_ask(unsigned from, enum svm_ask ask, u32 page)
{
    enum svm_model model;
    return from != scc_core && svm_is_member(from) && svm_model_of(page, &model) &&
           (model == SVM_ONCE || (model == SVM_STRONG && ask == SVM_WANT));
}

static void handle_want(unsigned from, enum svm_ask ask, u32 page, u32 word)
{
    later[from].waits = false;
    if (!may_ask(from, ask, page)) {
        svm_count.refused++;
        return;
    }
    if (word != READ_ONCE(svm_shared()->owner[page]) || svm_owner(word) != scc_core) {
        svm_count.late++;
        return;
    }
    ticks_t until = held_until(page, from);
    if (!until) {
        if (ask == SVM_READ)
            publish(page, word);
        else
            give(page, word, from);
        return;
    }
    svm_count.held++;
    later[from].page = page;
    later[from].word = word;
    later[from].ask = (u8)ask;
    later[from].waits = any_later = true;
    if (!hold.armed || hold.deadline > until)
        timer_arm(&hold, until);
}

static void hold_over(void *arg)
{
    unsigned long flags = irq_save();
    cache_mark_serve();
    any_later = false;
    for (unsigned core = 0; core < SCC_CORES; core++)
        if (later[core].waits)
            handle_want(core, later[core].ask, later[core].page, later[core].word);
    cache_mark_served();
    irq_restore(flags);
}

void svm_serve(const struct mail *m)
{
    struct svm_request r;
    if (SVM_KEEP && m->bytes == SVM_KEEP_BYTES) {
        svm_beat();
        if (svm_keep_serve(m, &r))
            handle_want(m->from, SVM_WANT, r.page, r.word);
        return;
    }
    if (m->bytes != sizeof(r)) {
        svm_count.refused++;
        return;
    }
    memcpy(&r, m->data, sizeof(r));
    svm_beat();
    if (r.ask == SVM_WANT || r.ask == SVM_READ)
        handle_want(m->from, r.ask, r.page, r.word);
    else if (r.ask == SVM_PING)
        svm_signal_again();
    else if (r.ask != SVM_HOLD || !svm_lock_beat(r.page))
        svm_count.refused++;
}

#if SVM_KEEP
/* The oldest first: by numbers, cores that ask again and again would have a page by turns, and others never. */
void svm_look_again(void)
{
    unsigned long flags = irq_save();
    u64 left = 0;
    for (unsigned core = 0; any_later && core < SCC_CORES; core++)
        left |= (u64)later[core].waits << core;
    any_later = false;
    while (left) {
        unsigned core = svm_keep_next(&left);
        handle_want(core, later[core].ask, later[core].page, later[core].word);
    }
    irq_restore(flags);
}

bool svm_someone_waits(void) { return READ_ONCE(any_later); }
#endif

void svm_own_first(unsigned page)
{
    u32 *owner = &svm_shared()->owner[page];
    WRITE_ONCE(*owner, svm_owned_by(READ_ONCE(*owner), scc_core));
    svm_show(page, true);
}

/* Map the page if this core may. Returns 0; -EAGAIN: *word names another core; -EACCES: a write, and all read it.
 * `once`: a page that is written once, else a strong one. */
static int take_if_own(unsigned page, bool write, bool once, u32 *word)
{
    unsigned long flags = irq_save();
    *word = __atomic_load_n(&svm_shared()->owner[page], __ATOMIC_ACQUIRE);
    bool own = svm_owner(*word) == scc_core, all = once && svm_owner(*word) == OWNER_ALL;
    int err = own ? 0 : !all ? -EAGAIN : write ? -EACCES : 0;
    if (!err) {
        svm_invalidate();
        svm_show(page, own);
        hold_page(page);
    }
    irq_restore(flags);
    return err;
}

/* Ask the owner that `word` names until the word changes. */
static int ask(enum svm_ask what, unsigned page, u32 word)
{
    struct svm_request r = { what, page, word };
    struct svm_wait w;
    unsigned owner = svm_owner(word);
    if (!svm_is_member(owner))
        return -EBADMSG;
    if (SVM_KEEP)
        svm_wait_close_begin(&w, owner);
    else
        svm_wait_begin(&w, owner, false);
    bool sent = false;
    for (;;) {
        if (!sent) {
            int err = SVM_KEEP ? svm_keep_request(owner, what, page, word) : mail_request(owner, &r, sizeof(r));
            if (err && err != -EAGAIN)
                return err;
            sent = !err;
        }
        if (READ_ONCE(svm_shared()->owner[page]) != word)
            return 0;
        int err = SVM_KEEP ? svm_wait_close(&w) : svm_wait_more(&w);
        if (err)
            return err;
    }
}

static int take_page(unsigned page, bool write, bool once)
{
    u32 word;
    for (unsigned chases = 0; chases < CHASES; chases++) {
        if (!once)
            svm_settle(page, chases != 0);
        int err = take_if_own(page, write, once, &word);
        if (!err)
            svm_count.taken += chases != 0;
        if (err != -EAGAIN)
            return err;
        err = ask(once && !write ? SVM_READ : SVM_WANT, page, word);
        if (err)
            return err;
    }
    return -ETIMEDOUT;
}

/* A guest's pages are asked for by one thread. */
static int own_alone(unsigned page, bool write, bool once)
{
    int err = SVM_KEEP ? 0 : mutex_lock(&taking);
    if (err)
        return err;
    if (SVM_KEEP)
        svm_keep_begin();
    WRITE_ONCE(awaited, page);
    if (SVM_KEEP && svm_someone_waits())
        svm_look_again(); /* who is older gets what this core keeps */
    err = take_page(page, write, once);
    if (err) {
        WRITE_ONCE(awaited, SVM_PAGES);
        hold_over(NULL); /* requests for it need not wait any more */
    }
    if (!SVM_KEEP)
        mutex_unlock(&taking);
    return err;
}

int svm_own(unsigned page) { return own_alone(page, true, false); }
int svm_own_once(unsigned page, bool write) { return own_alone(page, write, true); }

static __init_text void own_start(void)
{
    hold_ticks = time_from_ns(HOLD_NS);
    timer_init(&hold, hold_over, NULL);
    mutex_init(&taking);
    mail_serve(svm_serve);
}
INIT_CALL(own_start);
