/* SPDX-License-Identifier: MIT */
/*
 * main.c - core_start(): from "the HAL is up" to "domains run".
 *
 * Order on cpu 0: memory (core_memory_init, earlier), the system table, run queues of
 * all cores and who has windows there, components (INIT_CALL), domains; then the
 * frames begin, what ran so far is freed, all cores become their own idle threads, and a thread starts domains.
 */
#include <boot_info.h>
#include <core/console.h>
#include <core/cpu.h>
#include <core/domain.h>
#include <core/frames.h>
#include <core/init.h>
#include <core/log.h>
#include <core/monitor.h>
#include <errors.h>
#include <hal/memory.h>
#include <hal/upcalls.h>

#define FRAME_EPOCH_NS 1000000ull /* all frames begin together, when every core is in its idle loop */

bool core_go;

__init_text void core_memory_init(paddr_t image, paddr_t image_end)
{
    for (unsigned i = 0; i < boot_info.n_regions && i < BOOT_MAX_REGIONS; i++)
        if (boot_info.region[i].type == BOOT_MEM_RAM)
            frames_add(boot_info.region[i].base, boot_info.region[i].size);
    /* A firmware's map may overlap itself: what any entry calls not RAM is not RAM. */
    for (unsigned i = 0; i < boot_info.n_regions && i < BOOT_MAX_REGIONS; i++)
        if (boot_info.region[i].type != BOOT_MEM_RAM)
            frames_reserve(boot_info.region[i].base, boot_info.region[i].size);
    frames_reserve(0, PAGE_SIZE); /* physical 0 stays unused: an address of 0 is always a mistake */
    frames_reserve(image, image_end - image);
    frames_reserve(boot_info.system_base, boot_info.system_size);
}

static __init_text void take_system(void)
{
    if (!boot_info.system_size) {
        printk("system: none was given; the control console is all there is\n");
        return;
    }
    const void *image = phys_to_virt(boot_info.system_base);
    const char *why;
    int err = system_table_check(image, boot_info.system_size, &why);
    if (err) {
        printk("system: refused: %s (error %d)\n", why, err);
        return;
    }
    const struct sys_header *h = image;
    if (h->n_cores > n_cpus) {
        printk("system: %s wants %u cores, this machine has %u: refused\n", h->name, h->n_cores, n_cpus);
        return;
    }
    system_table = h;
    printk("system: %s, %u domains, %u payloads, %lu KiB\n", h->name, h->n_domains, h->n_payloads,
           (unsigned long)(h->image_size >> 10));
}

/* A domain that has a window on a core has a group of its own there; all others share group 0. */
static __init_text void assign_groups(const struct sys_frame *f)
{
    u8 *group_of = cpus[f->core]->sched.group_of, used = 0;
    for (unsigned i = 0; i < f->n_windows; i++) {
        u16 d = sys_window(system_table, f->first_window + i)->domain;
        if (d != SYS_NONE && !group_of[d])
            group_of[d] = ++used;
    }
}

static __init_text void set_frame(const struct sys_frame *f, ticks_t epoch)
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

/* The caller is this core's idle thread from here on. */
static __noreturn void idle_loop(void)
{
    struct cpu *c = this_cpu();
    irq_disable();
    c->online = true;
    alarm_refresh(c);
    for (;;) {
        if (READ_ONCE(c->sched.resched))
            schedule();
        else
            hal_idle();
    }
}

static __init_text __attribute__((noinline)) void start_first(void)
{
    printk("Amalgam, %u cores, %lu MiB free, loaded by %s\n", n_cpus, (unsigned long)(frames_free_bytes() >> 20),
           boot_info.loader ? boot_info.loader : "?");
    take_system();
    for (unsigned i = 0; i < n_cpus; i++)
        if (sched_init(cpus[i]))
            panic("no memory for the idle thread of cpu %u", i);
    for (unsigned i = 0; system_table && i < system_table->n_frames; i++)
        assign_groups(sys_frame(system_table, i));
    for (const init_call *call = __initcalls_start; call < __initcalls_end; call++)
        (*call)();
    domains_create();
    monitor_start();
    domains_start();
    ticks_t epoch = time_now() + time_from_ns(FRAME_EPOCH_NS);
    for (unsigned i = 0; system_table && i < system_table->n_frames; i++)
        set_frame(sys_frame(system_table, i), epoch);
}

void core_start(unsigned cpu)
{
    if (cpu == 0) {
        start_first();
        hal_drop_init(true);
        __atomic_store_n(&core_go, true, __ATOMIC_RELEASE);
    } else {
        while (!__atomic_load_n(&core_go, __ATOMIC_ACQUIRE))
            cpu_relax();
        hal_drop_init(false);
    }
    idle_loop();
}
