/* SPDX-License-Identifier: MIT */
/*
 * meet.c - the members begin to count barriers together, and begin anew after one of them has failed
 * (tests/model/svm_meet.pml).
 *
 * Each member has a word that it alone writes, and that only grows: odd while it wants to meet the others, even while
 * it is in an epoch with them. Who wants to meet says an odd number, follows whoever says a larger one (of a member in
 * an epoch: the one behind that), and is in the next epoch when all others say the same, or are in that epoch already.
 * A member that fails, also while it waits to meet, says the next odd number. So who waits for it in a barrier sees
 * that it has left, leaves, too, and meets it in its next call. The words are in shared memory, so that a kernel which
 * was reset says a larger number than before: the others see that the member which they knew is gone.
 *
 * Beside its word each member says the number of its kernel (board/scc.h). Who meets it keeps the number that it has
 * read between two looks at the same word. A next kernel says 0 there, then its word, then its number: so no number is
 * taken for that of a kernel which has ended, or the other way round. The first barrier of the epoch seals it: all that
 * have passed it have heard of each other.
 *
 * Signals of barriers name the epoch, so that an old one is nobody's; none is left when the number of an epoch comes
 * again, because who leaves clears them. Regions are those of an epoch, and so are locks.
 */
#include <core/init.h>
#include <errors.h>
#include <hal/cpu.h>

#include "state.h"

static u16 said;              /* this member's word */
static u32 kernel[SCC_CORES]; /* the members' kernels, as they have said when they met */

static bool in(u16 word) { return !(word & 1); }
static u16 word_of(unsigned core) { return (u16)READ_ONCE(svm_shared()->epoch[core].word); }

void svm_say_again(void)
{
    struct svm_says *own = &svm_shared()->epoch[scc_core];
    WRITE_ONCE(own->word, said);
    WRITE_ONCE(own->kernel, scc_up(scc_core));
}

static void say(u16 word)
{
    WRITE_ONCE(said, word);
    svm_say_again();
}

u16 svm_epoch(void) { return said; }
bool svm_has_met(void) { return in(said); }
u32 svm_kernel_of(unsigned core) { return kernel[core]; }

/* Who has not come yet says the number before. */
bool svm_has_left(unsigned core)
{
    u16 word = word_of(core);
    return in(said) && ((word != said && (u16)(word + 1) != said) || scc_up(core) != kernel[core]);
}

void svm_leave(void)
{
    svm_signals_clear();
    say(in(said) ? said + 1 : said + 2);
    svm_locks_lost();
}

/* Keep the number that a member says with this word. Returns false: it does not say both any more, or not yet. */
static bool hear_kernel(unsigned core, u16 word)
{
    kernel[core] = READ_ONCE(svm_shared()->epoch[core].kernel);
    return kernel[core] && word_of(core) == word;
}

/* Wait until all other members say the same. Who follows one begins again. */
static int await_all(void)
{
    struct svm_wait w;
    svm_wait_begin(&w, scc_core, true);
    for (unsigned number = 0; number < svm_members();) {
        unsigned core = svm_member(number);
        u16 word = word_of(core);
        if (svm_program_has_ended(core))
            return -ETIMEDOUT;
        if ((word == said || word == (u16)(said + 1)) && hear_kernel(core, word)) {
            number++;
            continue;
        }
        if ((s16)((word | 1) - said) > 0) {
            say(word | 1);
            number = 0;
        }
        svm_wait_other(&w, core);
        int err = svm_wait_more(&w);
        if (err)
            return err;
    }
    return 0;
}

/* Nobody uses pages, or locks, of an older epoch any more. */
int svm_meet(void)
{
    if (svm_has_met())
        return 0;
    svm_program_begins();
    svm_say_again(); /* this kernel has its number only now, if it has just begun */
    int err = await_all();
    if (!err)
        err = svm_drop();
    if (err) {
        svm_leave();
        return err;
    }
    if (svm_rank() == 0) {
        svm_locks_clear();
        svm_frames_clear();
    }
    say(said + 1);
    return svm_pass();
}

/* A kernel that ran here before may have been in an epoch, and its word may have been overwritten: say more than
 * anybody does. All are 0 when the board starts, or 1. */
static __init_text void meet_start(void)
{
    WRITE_ONCE(svm_shared()->beat[scc_core].word, 0);
    WRITE_ONCE(svm_shared()->epoch[scc_core].kernel, 0);
    u16 most = word_of(scc_core);
    for (unsigned core = 0; core < SCC_CORES; core++)
        if (word_of(core) > 1 && (s16)(word_of(core) - most) > 0)
            most = word_of(core);
    svm_signals_clear();
    say((u16)((most + 1) | 1));
}
INIT_CALL(meet_start);
