/* SPDX-License-Identifier: MIT */
/* system.c - puts the frames and windows of a system image into the cores' schedulers; see core/system.h. */
#include <core/cpu.h>
#include <core/log.h>
#include <core/system.h>
#include <errors.h>
#include <hal/time.h>

__init_text int system_refused(const void *image, u64 size)
{
    const struct sys_header *h = image;
    const char *why;
    int err = system_table_check(image, size, &why);
    if (err) {
        printk("system: refused: %s (error %d)\n", why, err);
    } else if (h->n_cores > n_cpus) {
        printk("system: %s wants %u cores, this machine has %u: refused\n", h->name, h->n_cores, n_cpus);
        err = -ENODEV;
    }
    return err;
}

__init_text void system_use(const struct sys_header *h)
{
    system_table = h;
    printk("system: %s, %u domains, %u payloads, %llu KiB\n", h->name, h->n_domains, h->n_payloads,
           h->image_size >> 10);
}

/* A domain that has a window on a core has a group of its own there; all others share group 0. */
static __init_text void assign_groups(const struct sys_frame *f)
{
    struct sched *s = &cpus[f->core]->sched;
    u8 used = 0;
    for (unsigned i = 0; i < f->n_windows; i++) {
        u16 d = sys_window(system_table, f->first_window + i)->domain;
        if (d == SYS_NONE || s->group_of[d])
            continue;
        s->group_of[d] = ++used;
        sched_group_init(s, used);
    }
}

__init_text void system_assign_groups(void)
{
    for (unsigned i = 0; SCHED_WINDOWS && system_table && i < system_table->n_frames; i++)
        assign_groups(sys_frame(system_table, i));
}

__init_text void system_set_frame(const struct sys_frame *f, ticks_t epoch)
{
    struct cpu *c = cpus[f->core];
    struct window w[SCHED_WINDOWS];
    for (unsigned i = 0; i < f->n_windows; i++) {
        const struct sys_window *sw = sys_window(system_table, f->first_window + i);
        w[i].start = time_from_ns(sw->start_us * 1000ull);
        w[i].length = time_from_ns((sw->start_us + (u64)sw->length_us) * 1000) - w[i].start;
        w[i].group = sw->domain == SYS_NONE ? 0 : c->sched.group_of[sw->domain];
    }
    sched_set_frame(c, w, f->n_windows, time_from_ns(f->length_us * 1000ull), epoch);
}
