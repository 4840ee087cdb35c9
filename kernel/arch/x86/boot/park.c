/* SPDX-License-Identifier: MIT */
/*
 * park.c - holds a PC's cores that have left (core/cores.h), and the control console's commands that make a core leave
 * and come back. A board that gives its cores to something else has another file for this.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <core/cores.h>
#include <core/log.h>
#include <core/monitor.h>
#include <errors.h>
#include <hal/context.h>
#include <hal/cpu.h>
#include <hal/upcalls.h>

static struct cpu *parked[MAX_CPUS]; /* by their last number; NULL: none, or it is coming back */

/* Wait, with interrupts off, until the word in memory is cleared; then start on the same stack, from its top. */
void hal_core_left(void)
{
    struct cpu *c = this_cpu();
    struct cpu **slot = &parked[c->id];
    WRITE_ONCE(*slot, c);
    while (__atomic_load_n(slot, __ATOMIC_ACQUIRE))
        cpu_relax();
    paging_flush();
    char here;
    call_on_stack(core_start, c->id, (void *)ALIGN_UP((unsigned long)&here, 2ul * HAL_STACK_SIZE));
}

static int cmd_leave(const char *arg)
{
    unsigned cpu = (unsigned)(arg[0] - '0');
    if (!*arg || arg[1] || cpu > 9) {
        printk("say leave N: the number of a core, 1 to 9\n");
        return -EINVAL;
    }
    if (cpu == 0) {
        printk("core 0 has the control console\n");
        return -EPERM;
    }
    int err = core_leave(cpu);
    if (err)
        printk(err == -EBUSY ? "core %u belongs to the system that is there\n" : "core %u is not there\n", cpu);
    while (!err && core_present(cpu))
        thread_sleep_ns(1000000);
    return err;
}

static int cmd_join(const char *arg)
{
    for (unsigned i = 0; i < MAX_CPUS; i++) {
        struct cpu *c = READ_ONCE(parked[i]);
        if (!c)
            continue;
        int id = core_join(c);
        if (id < 0)
            return id;
        __atomic_store_n(&parked[i], NULL, __ATOMIC_RELEASE);
        while (!READ_ONCE(c->online))
            thread_sleep_ns(1000000);
        printk("core %d is back\n", id);
        return 0;
    }
    printk("no core waits to come back\n");
    return -ENOENT;
}

MONITOR_COMMAND(leave, "leave", "N", "let a core go that the system does not use", .run = cmd_leave);
MONITOR_COMMAND(join, "join", "", "let one that left come back", .run = cmd_join);
