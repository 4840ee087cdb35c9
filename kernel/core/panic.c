/* SPDX-License-Identifier: MIT */
/*
 * panic.c - errors in the kernel: report who, where and why, then stop one domain if that is enough, else the whole
 * machine.
 *
 * One domain is enough if the running thread works for it and holds no spin lock. Spin locks are only held with
 * interrupts off, so "interrupts were on" proves that it holds none, at no cost to the locks.
 */
#include <core/console.h>
#include <core/cpu.h>
#include <core/domain.h>
#include <core/log.h>
#include <hal/upcalls.h>
#include <stdarg.h>

static unsigned panicking;

static void report_who(void)
{
    struct cpu *c = this_cpu();
    const struct thread *t = c->sched.running;
    const char *thread = "(boot)", *domain = "(kernel)";
    if (t) {
        thread = t->name;
        if (t->domain)
            domain = t->domain->conf->name;
    }
    printk("on cpu %u, thread %s, domain %s\n", c->id, thread, domain);
}

/* The first core that comes here reports. A panic inside the report stops this core. */
static void panic_begin(void)
{
    irq_disable();
    if (__atomic_exchange_n(&panicking, 1, __ATOMIC_ACQ_REL))
        hal_halt();
    hal_stop_others();
    console_break_lock();
    console_focus(CONSOLE_KERNEL);
}

void panic(const char *fmt, ...)
{
    va_list ap;
    panic_begin();
    printk("PANIC: ");
    va_start(ap, fmt);
    vprintk(CONSOLE_KERNEL, fmt, ap);
    va_end(ap);
    printk("\n");
    report_who();
    arch_backtrace(NULL);
    hal_halt();
}

void core_trap(const char *what, const struct trap_frame *f)
{
    struct thread *t = this_cpu()->sched.running;
    bool survivable = t && t->domain && t != this_cpu()->sched.idle && arch_frame_irqs_on(f);
    if (!survivable)
        panic_begin();
    printk("%s: %s\n", survivable ? "FAULT" : "PANIC", what);
    report_who();
    arch_dump_frame(f);
    arch_backtrace(f);
    if (!survivable)
        hal_halt();
    struct domain *d = t->domain;
    domain_end(d, END_FAULT, "%s in thread %s", what, t->name);
    domain_thread_gone(d);
    thread_exit();
}
