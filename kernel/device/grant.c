/* SPDX-License-Identifier: MIT */
/* grant.c - gives processes their devices, and makes these quiet between two runs; see device.h. */
#include <core/cpu.h>
#include <core/frames.h>
#include <core/log.h>
#include <errors.h>
#include <hal/memory.h>
#include <hal/time.h>
#include <process/memory.h>
#include <process/part.h>
#include <string.h>

#include "device.h"

#define RESET_NS (100 * 1000000ull) /* the longest that a reset may take */

struct device *device_handles[SYS_MAX_DOMAINS][HANDLES];
static struct device *granted[SYS_MAX_DOMAINS][SYS_MAX_DRIVEN];
static struct device devices[HAL_LINES]; /* each has a line of its own */
static unsigned n_devices;

_Static_assert(SYS_MAX_DRIVEN <= 8, "room for pinned memory below what handles show");

struct device *device_on(unsigned line) { return &devices[line]; }

/* The record */

/* Returns whether a process before `d`, or `d` itself before its device `index`, has the device of that name. */
static __init_text bool is_taken(const struct sys_header *h, const struct sys_domain *d, unsigned index)
{
    const char *name = sys_string(h, sys_process(d)->device[index]);
    for (unsigned i = 0;; i++) {
        const struct sys_domain *other = sys_domain(h, i);
        unsigned n = other == d ? index : other->kind == SYS_KIND_PROCESS ? SYS_MAX_DRIVEN : 0;
        for (unsigned j = 0; j < n; j++)
            if (sys_process(other)->device[j] && !strcmp(sys_string(h, sys_process(other)->device[j]), name))
                return true;
        if (other == d)
            return false;
    }
}

static __init_text const char *check(const struct sys_header *h, const struct sys_domain *d)
{
    for (unsigned i = 0; i < SYS_MAX_DRIVEN; i++) {
        if (!sys_process(d)->device[i])
            continue;
        if (!sys_name_ok(h, sys_process(d)->device[i]))
            return "the name of a process's device is none";
        if (is_taken(h, d, i))
            return "a device is given to two processes, or twice";
    }
    return NULL;
}

/* The grant */

static __init_text const struct hal_device *find(const char *name)
{
    const struct hal_device *list;
    unsigned n = hal_devices(&list);
    for (unsigned i = 0; i < n; i++)
        if (!strcmp(list[i].name, name))
            return &list[i];
    return NULL;
}

/* Return the device that a process has and that is on the line; NULL: the line is free. */
static __init_text const struct device *on_line(u8 line)
{
    for (unsigned i = 0; i < n_devices; i++)
        if (devices[i].hal.line == line)
            return &devices[i];
    return NULL;
}

/* Returns 0, or an error with the reason in the domain's record. */
static __init_text int refuse(struct process *p, const char *fmt, const char *name, const char *other)
{
    ksnprintf(p->domain->reason, sizeof(p->domain->reason), fmt, name, other);
    return -ENODEV;
}

/* Allocate the pinned memory, where the device reaches it: its addresses have 32 bits. */
static __init_text int pin(struct device *d)
{
    u64 size = d->class->memory + d->class->rings;
    paddr_t memory = frames_alloc_clean(size / PAGE_SIZE, PAGE_SIZE);
    if (memory == (paddr_t)-1)
        return -ENOMEM;
    if (memory + size > 4 * GIB)
        return refuse(d->process, "there is no memory below 4 GiB for device %s%s", d->hal.name, "");
    d->state.memory = memory;
    return space_map(&d->process->space, device_address(d), memory, d->class->memory, SPACE_WRITE);
}

/* handle_ops.closed: its driver has the device no more in this run. */
static void closed(struct handle_object *o, struct process_thread *self, unsigned index, u32 rights)
{
    WRITE_ONCE(device_handles[self->process->domain->id][index], NULL);
}

static const struct handle_ops ops = { .closed = closed };

static __init_text int grant(struct process *p, unsigned index, const char *name)
{
    const struct hal_device *hal = find(name);
    if (!hal)
        return refuse(p, "the board has no device %s%s", name, "");
    if (hal->line == HAL_NO_LINE)
        return refuse(p, "which interrupt line device %s has is not known%s", name, "");
    const struct device *other = on_line(hal->line);
    if (other)
        return refuse(p, "device %s has the interrupt line of %s", name, other->hal.name);
    if (n_devices == HAL_LINES)
        return refuse(p, "device %s is one more than there are lines for%s", name, "");
    struct device *d = &devices[n_devices];
    *d = (struct device){
        .hal = *hal, .class = container_of(hal->kind, struct device_class, kind), .process = p, .index = (u8)index
    };
    d->handle = (struct handle_object){ .kind = HANDLE_DEVICE, .size = d->class->memory, .ops = &ops };
    d->line = (u8)n_devices;
    int err = pin(d);
    if (!err && hal_line_connect(hal->line, d->line, p->domain->conf->core[0]))
        err = refuse(p, "no interrupt controller has the line of device %s%s", name, "");
    if (err)
        return err;
    n_devices++;
    granted[p->domain->id][index] = d;
    return 0;
}

static __init_text int map(struct process *p)
{
    int err = 0;
    for (unsigned i = 0; i < SYS_MAX_DRIVEN && !err; i++)
        if (sys_process(p->domain->conf)->device[i])
            err = grant(p, i, sys_string(system_table, sys_process(p->domain->conf)->device[i]));
    return err;
}

/* Runs */

/* Make the device quiet. Returns whether it is reset. The bus comes first: what does not reset reaches nothing. */
static bool quiet(struct device *d)
{
    hal_line_mask(d->line, true);
    hal_device_master(&d->hal, false);
    d->class->reset(&d->hal, &d->state);
    ticks_t end = time_after(RESET_NS);
    while (!d->class->is_reset(&d->hal) && time_now() < end)
        cpu_relax();
    if (d->class->is_reset(&d->hal))
        return true;
    printk("device %s: it does not reset, and is not used\n", d->hal.name);
    return false;
}

/* Clear its memory, and let it reach that. Returns whether it is ready for its driver. */
static bool device_start(struct device *d)
{
    clear_pages(phys_to_virt(d->state.memory), (d->class->memory + d->class->rings) / PAGE_SIZE);
    hal_device_master(&d->hal, true);
    if (!d->class->start || d->class->start(d))
        return true;
    printk("device %s: it does not begin as its class must\n", d->hal.name);
    return false;
}

/* Its line's last interrupt may be on its way still: then the driver finds nothing to do. */
static void wake_up(struct device *d)
{
    if (!quiet(d))
        return;
    int handle = device_start(d) ? handle_give(d->process, &d->handle, HANDLE_READ | HANDLE_WRITE) : -ENODEV;
    if (handle < 0) {
        printk("device %s: its driver gets no handle: error %d\n", d->hal.name, handle);
        quiet(d);
        return;
    }
    d->rung = false;
    d->masked = 0;
    device_handles[d->process->domain->id][handle] = d;
    hal_line_mask(d->line, false);
}

/* No thread of the driver is left, so nobody waits for an interrupt. */
static void lay_down(struct device *d)
{
    handle_withdraw(&d->handle, NULL);
    memset(device_handles[d->process->domain->id], 0, sizeof(device_handles[0]));
    quiet(d);
}

static void each(const struct process *p, void (*does)(struct device *d))
{
    for (unsigned i = 0; i < SYS_MAX_DRIVEN; i++)
        if (granted[p->domain->id][i])
            does(granted[p->domain->id][i]);
}

static int begin(struct process *p)
{
    each(p, wake_up);
    return 0;
}

static int end(struct process *p)
{
    each(p, lay_down);
    return 0;
}

PROCESS_PART(devices, .check = check, .at = { [PROCESS_MAPS] = map, [PROCESS_BEGINS] = begin, [PROCESS_ENDS] = end });
