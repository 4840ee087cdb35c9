/* SPDX-License-Identifier: MIT */
/* switch.c - switches between the two virtualization objects; see attach/switch.h. */
#include <attach/switch.h>
#include <core/init.h>
#include <core/log.h>
#include <core/thread.h>
#include <core/wait.h>
#include <errors.h>
#include <hal/selfvirt.h>
#include <string.h>

enum control { CALL = 1, GO, BACK, KEEP, UNDO, END };
enum answer { YES = 1, BUSY, CANNOT, DONE, FAILED, UNDONE };

#define WORD(round, what) ((round) << 3 | (what))
#define WHAT(word)        ((word)&7)
#define ROUND(word)       ((word) >> 3)

static struct {
    struct mutex lock; /* one request at a time */
    struct semaphore finished;
    struct timer retry;
    const struct vobject *from, *to;
    u32 control;
    struct {
        u32 word;
    } __aligned(64) answer[MAX_CPUS];
    int result;
    struct switch_report report;
} sw;

static void publish(u32 *word, u32 value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }
static u32 load_word(const u32 *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static u32 wait_for_other_than(const u32 *word, u32 old)
{
    u32 now;
    while ((now = load_word(word)) == old)
        cpu_relax();
    return now;
}

/* Returns whether this core can switch. Interrupts are off from here to the end of the handler, so a count that is
 * zero stays zero. */
static enum answer ready(struct switch_core *c)
{
    if (READ_ONCE(vobject_users[this_cpu_here()->id].n))
        return BUSY;
    c->err = sw.to == &virtual_object ? hal_layer_check() : 0;
    return c->err ? CANNOT : YES;
}

/* State reloading, then state transfer (4.1.3, 4.1.2). */
static enum answer change(struct switch_core *c, const struct vobject *from, const struct vobject *to)
{
    struct vobject_state state;
    ticks_t start = time_now();
    c->err = to->reload();
    if (c->err)
        return FAILED;
    memset(&state, 0, sizeof(state));
    from->give(&state);
    to->take(&state);
    c->changed = time_now() - start;
    return DONE;
}

static void follow(unsigned me, u32 call)
{
    struct switch_core *c = &sw.report.core[me];
    u32 *mine = &sw.answer[me].word, round = ROUND(call), go = WORD(round, GO);
    publish(mine, WORD(round, ready(c)));
    if (wait_for_other_than(&sw.control, call) != go)
        return; /* BACK, or a later round: its call is pending */
    enum answer how = change(c, sw.from, sw.to);
    publish(mine, WORD(round, how));
    if (wait_for_other_than(&sw.control, go) != WORD(round, UNDO))
        return;
    if (how == DONE && change(c, sw.to, sw.from) != DONE)
        panic("cpu %u cannot go back to its %s object", me, sw.from->name);
    publish(mine, WORD(round, UNDONE));
    wait_for_other_than(&sw.control, WORD(round, UNDO));
}

/* Returns how many cores have answered `what` in this round. */
static unsigned count(u32 round, enum answer what)
{
    unsigned n = 0;
    for (unsigned i = 0; i < n_cpus; i++)
        n += load_word(&sw.answer[i].word) == WORD(round, what);
    return n;
}

static bool all_came(u32 round)
{
    for (unsigned i = 0; i < n_cpus; i++)
        if (ROUND(load_word(&sw.answer[i].word)) != round)
            return false;
    return true;
}

/* All cores are in their handlers: let all switch, or all switch back. Returns 0, or the first core's error. */
static int go(u32 round, struct switch_core *c)
{
    u32 *mine = &sw.answer[0].word;
    WRITE_ONCE(vobject, sw.to);
    publish(&sw.control, WORD(round, GO));
    enum answer how = change(c, sw.from, sw.to);
    publish(mine, WORD(round, how));
    while (count(round, DONE) + count(round, FAILED) < n_cpus)
        cpu_relax();
    if (!count(round, FAILED)) {
        publish(&sw.control, WORD(round, KEEP));
        return 0;
    }
    int err = 0;
    for (unsigned i = 0; i < n_cpus && !err; i++)
        err = sw.report.core[i].err;
    publish(&sw.control, WORD(round, UNDO));
    if (how == DONE && change(c, sw.to, sw.from) != DONE)
        panic("cpu 0 cannot go back to its %s object", sw.from->name);
    publish(mine, WORD(round, UNDONE));
    while (count(round, UNDONE) < n_cpus)
        cpu_relax();
    WRITE_ONCE(vobject, sw.from);
    publish(&sw.control, WORD(round, END));
    return err;
}

/* Returns 0 or the error that ends the request; -EAGAIN: try again later. */
static int decide(u32 round)
{
    struct switch_core *c = &sw.report.core[0];
    ticks_t until = time_after(SWITCH_PATIENCE);
    publish(&sw.answer[0].word, WORD(round, ready(c)));
    while (!all_came(round) && time_now() < until)
        cpu_relax();
    unsigned yes = count(round, YES), busy = count(round, BUSY), cannot = count(round, CANNOT);
    if (yes == n_cpus)
        return go(round, c);
    publish(&sw.control, WORD(round, BACK));
    sw.report.busy = busy;
    sw.report.late = n_cpus - yes - busy - cannot;
    for (unsigned i = 0; cannot && i < n_cpus; i++)
        if (load_word(&sw.answer[i].word) == WORD(round, CANNOT))
            return sw.report.core[i].err;
    return -EAGAIN;
}

static void lead(u32 round)
{
    sw.result = decide(round);
    sw.report.ended = time_now();
    if (sw.result == -EAGAIN && ++sw.report.deferred < SWITCH_MOST_TRIES) {
        timer_arm(&sw.retry, time_after(SWITCH_RETRY_NS));
        return;
    }
    if (sw.result == -EAGAIN)
        sw.result = -ETIMEDOUT;
    sem_post(&sw.finished);
}

/* A core that was called twice, because it came too late the first time, has answered the second call already. */
void self_switch_interrupt(void)
{
    unsigned me = this_cpu()->id;
    u32 call = load_word(&sw.control);
    if (WHAT(call) != CALL || ROUND(load_word(&sw.answer[me].word)) == ROUND(call))
        return;
    sw.report.core[me].came = time_now();
    if (me == 0)
        lead(ROUND(call));
    else
        follow(me, call);
}

/* Begin a round; also called by the timer for a retry. */
static void call_all(void *arg)
{
    publish(&sw.control, WORD(ROUND(sw.control) + 1, CALL));
    const struct vobject *o = vobject_enter();
    for (unsigned i = n_cpus; i--;)
        o->ipi(i, IPI_SWITCH);
    vobject_leave();
}

static bool all_online(void)
{
    for (unsigned i = 0; i < n_cpus; i++)
        if (!READ_ONCE(cpus[i]->online))
            return false;
    return true;
}

/* Right after boot a core may not have reached its idle loop. Returns 0, or -EAGAIN if it does not get there. */
static int await_all_online(void)
{
    for (unsigned tries = 0; !all_online(); tries++) {
        if (tries == SWITCH_MOST_TRIES)
            return -EAGAIN;
        thread_sleep_ns(SWITCH_RETRY_NS);
    }
    return 0;
}

int self_switch(const struct vobject *to, struct switch_report *report)
{
    int err = mutex_lock(&sw.lock);
    if (err)
        return err;
    if (vobject == to)
        err = -EEXIST;
    else
        err = await_all_online();
    if (!err) {
        memset(&sw.report, 0, sizeof(sw.report));
        sw.from = vobject;
        sw.to = to;
        unsigned long flags = irq_save(); /* our own call must not be interrupted while we are counted as a user */
        call_all(NULL);
        irq_restore(flags);
        while (
            sem_wait(&sw.finished,
                     TICKS_NEVER)) { /* even if this thread is asked to end, the other cores must not be left waiting */
        }
        err = sw.result;
        if (report)
            *report = sw.report;
    }
    mutex_unlock(&sw.lock);
    return err;
}

static __init_text void self_switch_init(void)
{
    mutex_init(&sw.lock);
    sem_init(&sw.finished, 0);
    timer_init(&sw.retry, call_all, NULL);
}
INIT_CALL(self_switch_init);
