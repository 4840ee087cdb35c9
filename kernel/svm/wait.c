/* SPDX-License-Identifier: MIT */
/*
 * wait.c - waits for another core: poll LOOKS times, then sleep between polls, until SVM_PATIENCE_NS have passed
 * without a sign of life. A core that computes for long is not dead: its kernel answers a ping in an interrupt. A core
 * whose program has failed says so, and is not waited for. It says so again whenever it is asked, because its word may
 * be overwritten.
 */
#include <core/thread.h>
#include <errors.h>
#include <hal/cpu.h>
#include <hal/time.h>

#include "state.h"

#define LOOKS   2000u
#define STEP_NS 1000000ull
#define BOOT_NS 30000000000ull /* limit for a kernel that has not come to its first barrier yet */

static u32 beats; /* of this core */
static bool gone;

static u32 beat_of(unsigned core) { return READ_ONCE(svm_shared()->beat[core].word); }

bool svm_program_has_ended(unsigned core) { return beat_of(core) == SVM_ENDED; }

void svm_beat(void)
{
    beats = beats + 1 == SVM_ENDED ? 1 : beats + 1;
    WRITE_ONCE(svm_shared()->beat[scc_core].word, gone ? SVM_ENDED : beats);
}

void svm_program_ended(void)
{
    WRITE_ONCE(gone, true);
    svm_beat();
    svm_leave();
}

void svm_program_begins(void)
{
    WRITE_ONCE(gone, false);
    svm_beat();
}

void svm_wait_begin(struct svm_wait *w, unsigned core, bool ask)
{
    *w = (struct svm_wait){ .core = core, .ask = ask, .sign = &svm_shared()->beat[core].word, .is.ask = SVM_PING };
}

void svm_wait_other(struct svm_wait *w, unsigned core)
{
    if (w->core == core)
        return;
    w->core = core;
    w->sign = &svm_shared()->beat[core].word;
    w->beat = SVM_ENDED; /* unlike its sign, which begins the time limit anew */
}

void svm_wait_holder(struct svm_wait *w, unsigned core, unsigned n, const u32 *sign)
{
    svm_wait_begin(w, core, true);
    w->sign = sign;
    w->is = (struct svm_request){ .ask = SVM_HOLD, .page = n };
}

/* Start the time limit, at the first sleep, so that short waits read no clock, and at each sign. */
static void begin_limit(struct svm_wait *w)
{
    w->beat = READ_ONCE(*w->sign);
    w->deadline = time_after(w->is.ask == SVM_HOLD || w->beat ? SVM_PATIENCE_NS : BOOT_NS);
}

/* Returns whether that core cannot give what is waited for. The owner of a page may have left: its kernel goes on to
 * give it; a next kernel does not know the page. */
static bool is_over(const struct svm_wait *w)
{
    if (w->ask)
        return svm_program_has_ended(w->core) || svm_has_left(w->core);
    return w->core != scc_core && scc_up(w->core) != svm_kernel_of(w->core);
}

int svm_wait_more(struct svm_wait *w)
{
    if (thread_self()->stop)
        return -ECANCELED;
    if (w->looks < LOOKS) {
        if (++w->looks == LOOKS)
            begin_limit(w);
        cpu_relax();
        return 0;
    }
    u32 beat = READ_ONCE(*w->sign);
    if (is_over(w))
        return -ETIMEDOUT;
    if (w->ask && beat != w->beat)
        begin_limit(w);
    if (time_now() >= w->deadline)
        return -ETIMEDOUT;
    if (w->ask)
        mail_request(w->core, &w->is, sizeof(w->is)); /* if it cannot be sent there is no answer, which tells */
    thread_block(time_after(STEP_NS));
    return 0;
}

#if SVM_KEEP
int svm_wait_close(struct svm_wait *w)
{
    cpu_relax();
    if (thread_self()->stop)
        return -ECANCELED;
    if (++w->looks % LOOKS)
        return 0;
    if (w->looks == LOOKS)
        w->deadline = time_after(SVM_PATIENCE_NS);
    if (scc_up(w->core) != svm_kernel_of(w->core) || time_now() >= w->deadline)
        return -ETIMEDOUT;
    thread_yield();
    return 0;
}
#endif
