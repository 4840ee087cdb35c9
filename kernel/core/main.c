/* SPDX-License-Identifier: MIT */
/*
 * main.c - core_start(): from "the HAL is up" to "domains run".
 *
 * Order on cpu 0: memory (core_memory_init, earlier), run queues of all cores, components (INIT_CALL), the system
 * table, groups, domains. Then the frames begin, the code that ran so far is freed, each core's first thread becomes
 * its idle thread, and the keeper starts domains. Where cores join and leave (cores.c), a later cpu 0 finds all that
 * done.
 */
#include <boot_info.h>
#include <core/awake.h>
#include <core/channel.h>
#include <core/console.h>
#include <core/cpu.h>
#include <core/domain.h>
#include <core/frames.h>
#include <core/init.h>
#include <core/log.h>
#include <core/monitor.h>
#include <core/system.h>
#include <hal/memory.h>
#include <hal/upcalls.h>

/* Without cores.c no core leaves. */
__optional bool core_may_leave(struct cpu *c) { return false; }
/* Without monitor.c there is no control console. */
__optional void monitor_start(void) {}
/* Without awake.c all cores may be awake. */
__optional void core_sleeps(struct cpu *c) {}

__init_text void core_memory_init(paddr_t image, paddr_t image_end)
{
    for (unsigned i = 0; i < boot_info.n_regions && i < BOOT_MAX_REGIONS; i++)
        if (boot_info.region[i].type == BOOT_MEM_RAM)
            frames_add(boot_info.region[i].base, boot_info.region[i].size);
    /* Entries of a firmware's map may overlap: memory that any entry says is not RAM is not used. */
    for (unsigned i = 0; i < boot_info.n_regions && i < BOOT_MAX_REGIONS; i++)
        if (boot_info.region[i].type != BOOT_MEM_RAM)
            frames_reserve(boot_info.region[i].base, boot_info.region[i].size);
    frames_reserve(0, PAGE_SIZE); /* physical page 0 is not used, so that address 0 is always a mistake */
    frames_reserve(image, image_end - image);
    frames_reserve(boot_info.system_base, boot_info.system_size);
}

/* The caller becomes this core's idle thread. */
static __noreturn void idle_loop(void)
{
    struct cpu *c = this_cpu();
    irq_disable();
    c->online = true;
    alarm_refresh(c);
    for (;;) {
        if (READ_ONCE(c->sched.resched)) {
            schedule();
        } else if (!core_may_leave(c)) {
            core_sleeps(c);
            hal_idle();
        }
    }
}

static __init_text __attribute__((noinline)) void start_first(void)
{
    printk("Amalgam, %u cores, %llu MiB free, loaded by %s\n", n_cpus, (frames_free_bytes() >> 20),
           boot_info.loader ? boot_info.loader : "?");
    if (boot_info.n_kernels)
        printk("kernel %u of %u\n", boot_info.self, boot_info.n_kernels);
    for (unsigned i = 0; i < n_cpus; i++)
        sched_init(cpus[i]);
    for (const init_call *call = __initcalls_start; call < __initcalls_end; call++)
        (*call)();
    const void *image = phys_to_virt(boot_info.system_base);
    if (!boot_info.system_size)
        printk("system: none was given; the control console is all there is\n");
    else if (!system_refused(image, boot_info.system_size))
        system_use(image);
    if (channel_ops)
        channel_ops->renew();
    system_assign_groups();
    domains_create();
    monitor_start();
    if (system_table && domains_start())
        panic("no memory for the keeper thread");
    ticks_t epoch = time_after(FRAME_EPOCH_NS);
    for (unsigned i = 0; SCHED_WINDOWS && system_table && i < system_table->n_frames; i++)
        system_set_frame(sys_frame(system_table, i), epoch);
}

void core_start(unsigned cpu)
{
    bool first = cpu == 0 && !core_go;
    if (first)
        start_first();
    else if (cpu == 0)
        monitor_start();
    while (cpu && !__atomic_load_n(&core_go, __ATOMIC_ACQUIRE))
        cpu_relax();
    hal_drop_init(first);
    __atomic_store_n(&core_go, true, __ATOMIC_RELEASE);
    idle_loop();
}
