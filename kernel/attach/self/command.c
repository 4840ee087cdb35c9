/* SPDX-License-Identifier: MIT */
/* command.c - the control console's `attach`, `detach` and `self`. */
#include <attach/switch.h>
#include <core/init.h>
#include <core/log.h>
#include <core/monitor.h>
#include <errors.h>
#include <hal/selfvirt.h>

static void print_report(const struct switch_report *r)
{
    for (unsigned i = 0; i < n_cpus; i++)
        printk("cpu %u: changed in %llu ticks, stopped for %llu ns\n", i, r->core[i].changed,
               time_to_ns(r->ended - r->core[i].came));
    printk("%s: %u cores, put off %u times\n", vobject->name, n_cpus, r->deferred);
}

static int change_to(const struct vobject *to)
{
    struct switch_report r = { 0 };
    int err = self_switch(to, &r);
    if (!err)
        print_report(&r);
    else if (err == -EEXIST)
        printk("the kernel is on its %s object already\n", to->name);
    else if (err == -ETIMEDOUT)
        printk("put off %u times: at last %u cores were inside the object, %u did not come\n", r.deferred, r.busy,
               r.late);
    else if (err == -EBUSY)
        printk("guests have AMD-V in use\n");
    return err;
}

static int cmd_attach(const char *arg) { return change_to(&virtual_object); }
static int cmd_detach(const char *arg) { return change_to(&native_object); }

static int cmd_self(const char *arg)
{
    printk("the kernel is on its %s object\n", vobject->name);
    for (unsigned i = 0; i < n_cpus; i++) {
        struct layer_stats s;
        hal_layer_stats(i, &s);
        printk("cpu %u: exits %llu calls %llu interrupts %llu emulated %llu strays %llu\n", i, s.exits, s.hypercalls,
               s.interrupts, s.emulated, s.strays);
    }
    return 0;
}

MONITOR_COMMAND(attach, "attach", "", "slip the layer beneath the kernel", .run = cmd_attach);
MONITOR_COMMAND(detach, "detach", "", "take it out again", .run = cmd_detach);
MONITOR_COMMAND(self, "self", "", "which object the kernel is on, and what the layer did", .run = cmd_self);

static __init_text void self_init(void)
{
    int err = hal_layer_prepare();
    if (err)
        printk("self-virtualization: no layer beneath: error %d\n", err);
}
INIT_CALL(self_init);
