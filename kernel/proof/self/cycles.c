/* SPDX-License-Identifier: MIT */
/*
 * cycles.c - `cycles N`: attach and detach N times beneath the watchers (watch.h) and whatever else runs, first with
 * sleepers among them, then N times without.  It ends with an error when a switch failed or a watcher stands still
 * after one.
 */
#include "watch.h"

#include <attach/switch.h>
#include <core/log.h>
#include <core/monitor.h>
#include <errors.h>

#define STEP_NS 50000
#define STEPS   13
#define MOST    100000

static struct extent {
    unsigned n, deferred;
    ticks_t least, most; /* to change one core */
    ticks_t stop;        /* that a core stood still for */
} extents[2];

static void note(struct extent *e, const struct switch_report *r)
{
    e->deferred += r->deferred;
    for (unsigned i = 0; i < n_cpus; i++) {
        ticks_t t = r->core[i].changed;
        e->least = e->n ? MIN(e->least, t) : t;
        e->most = MAX(e->most, t);
        e->stop = MAX(e->stop, r->ended - r->core[i].came);
        e->n++;
    }
}

static void print(const char *what, const struct extent *e)
{
    printk("%s: %u changes of a core in %llu to %llu ticks, longest stop %llu ns, put off %u times\n", what, e->n,
           e->least, e->most, time_to_ns(e->stop), e->deferred);
}

static int there_and_back(unsigned i)
{
    static const struct vobject *const to[2] = { &virtual_object, &native_object };
    for (unsigned k = 0; k < 2; k++) {
        struct switch_report r;
        int err = self_switch(to[k], &r);
        if (!err && !watch_live())
            err = -EIO;
        if (err) {
            printk("cycle %u: on the %s object: error %d\n", i, vobject->name, err);
            return err;
        }
        note(&extents[k], &r);
        thread_sleep_ns((i * 2 + k) % STEPS * STEP_NS);
    }
    return 0;
}

static int cycles_run(unsigned n, bool sleepers)
{
    struct watch_report w;
    extents[0] = extents[1] = (struct extent){ 0 };
    int err = watch_begin(sleepers);
    if (err)
        return err;
    unsigned done = 0;
    while (done < n && !err) {
        err = there_and_back(done);
        done += !err;
    }
    watch_end(&w);
    print("attach", &extents[0]);
    print("detach", &extents[1]);
    printk("cycles: %u, sleeps %llu early %llu, hops %llu backwards %llu\n", done, w.sleeps, w.early, w.hops,
           w.backwards);
    return err ? err : w.early || w.backwards ? -EIO : 0;
}

static int cmd_cycles(const char *arg)
{
    unsigned n = 0;
    for (; *arg >= '0' && *arg <= '9' && n <= MOST; arg++)
        n = n * 10 + (unsigned)(*arg - '0');
    if (*arg || !n || n > MOST)
        return -EINVAL;
    int err = cycles_run(n, true);
    return err ? err : cycles_run(n, false);
}

MONITOR_COMMAND(cycles, "cycles", "N", "attach and detach N times beneath threads that watch", .run = cmd_cycles);
