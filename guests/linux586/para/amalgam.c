/* SPDX-License-Identifier: MIT */
/*
 * amalgam.c - interrupt lines, clock, console and restart of Linux as a guest in ring 1, and a device of an SCC's
 * memory. The tools add this file to arch/x86/kernel; it puts itself in place by the tables that Linux has for
 * platforms, at the first early parameter `amalgam`, which the hypervisor's loader writes before the others.
 */
#include <linux/clockchips.h>
#include <linux/console.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/ioctl.h>
#include <linux/irq.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/version.h>
#include <asm/i8259.h>
#include <asm/io_apic.h>
#include <asm/reboot.h>
#include <asm/time.h>
#include <asm/tsc.h>
#include <asm/x86_init.h>
#include "../../../drivers/tty/hvc/hvc_console.h"

#define MASK        AMALGAM_SHARED(AMALGAM_SHARE_MASK)
#define RAISED      AMALGAM_SHARED(AMALGAM_SHARE_RAISED)
#define TIMER_LINE  0
#define INPUT_LINE  4
#define LEAST_TICKS 1000
#define MOST_TICKS  0x7fffffff

/* --- interrupt lines: in place of the 8259, edges that stay until they are taken ------------------------ */

static void mask(struct irq_data *d) { MASK |= 1ul << d->irq; }

static void unmask(struct irq_data *d)
{
    MASK &= ~(1ul << d->irq);
    if (RAISED & 1ul << d->irq)
        amalgam_events();
}

static struct irq_chip chip = { .name = "amalgam", .irq_mask = mask, .irq_mask_ack = mask, .irq_unmask = unmask };

static void nothing(void) {}
static void nothing_for(unsigned int irq) {}
static void nothing_auto(int auto_eoi) {}
static int probe(void) { return 16; }
static int none_pending(unsigned int irq) { return 0; }
static void make(unsigned int irq) { irq_set_chip_and_handler(irq, &chip, handle_level_irq); }

static struct legacy_pic lines = {
    .nr_legacy_irqs = 16,
    .chip = &chip,
    .mask = nothing_for,
    .unmask = nothing_for,
    .mask_all = nothing,
    .restore_mask = nothing,
    .init = nothing_auto,
    .probe = probe,
    .irq_pending = none_pending,
    .make_irq = make,
};

/* --- clock: the time stamp counter, and one event at a time --------------------------------------------- */

static int next(unsigned long delta, struct clock_event_device *d) { return amalgam_timer(delta); }
static int no_more(struct clock_event_device *d) { return amalgam_timer(0); }

static struct clock_event_device clock = {
    .name = "amalgam",
    .features = CLOCK_EVT_FEAT_ONESHOT,
    .rating = 400,
    .set_next_event = next,
    .set_state_shutdown = no_more,
    .set_state_oneshot_stopped = no_more,
};

static irqreturn_t tick(int irq, void *unused)
{
    clock.event_handler(&clock);
    return IRQ_HANDLED;
}

static unsigned long khz(void) { return amalgam_khz(); }

/* The wall clock begins at 1970: there is no clock of that kind, and Linux would wait a second for one. */
static void wall_clock(struct timespec64 *now) { *now = (struct timespec64){}; }

static void __init timer_init(void)
{
    clock.cpumask = cpumask_of(0);
    if (request_irq(TIMER_LINE, tick, IRQF_NOBALANCING | IRQF_IRQPOLL | IRQF_TIMER, "timer", NULL))
        pr_err("amalgam: no timer\n");
    clockevents_config_and_register(&clock, 1000 * khz(), LEAST_TICKS, MOST_TICKS);
}

/* --- console ----------------------------------------------------------------------------------------------- */

#define MOST 256 /* bytes of one call */

/* What struct hv_ops calls a byte, how many there are, and how many were taken. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
typedef char hv_byte;
typedef int hv_count, hv_done;
#else
typedef u8 hv_byte;
typedef size_t hv_count;
typedef ssize_t hv_done;
#endif

static hv_done put_chars(u32 number, const hv_byte *text, hv_count length)
{
    return amalgam_console_write((unsigned long)text, min(length, (hv_count)MOST));
}

static hv_done get_chars(u32 number, hv_byte *text, hv_count room)
{
    hv_count n = 0;

    for (long c; n < room && (c = amalgam_console_read()) >= 0; n++)
        text[n] = c;
    return n;
}

static irqreturn_t input(int irq, void *hp)
{
    if (hvc_poll(hp))
        hvc_kick();
    return IRQ_HANDLED;
}

static int input_on(struct hvc_struct *hp, int irq)
{
    int error = request_irq(irq, input, 0, "console", hp);

    hp->irq_requested = !error;
    return error;
}

static void input_off(struct hvc_struct *hp, int irq)
{
    if (hp->irq_requested)
        free_irq(irq, hp);
    hp->irq_requested = 0;
}

static const struct hv_ops console_ops = {
    .get_chars = get_chars,
    .put_chars = put_chars,
    .notifier_add = input_on,
    .notifier_del = input_off,
    .notifier_hangup = input_off,
};

static void early_write(struct console *c, const char *text, unsigned int length)
{
    for (unsigned int n; length; text += n, length -= n) {
        n = min(length, (unsigned int)MOST);
        amalgam_console_write((unsigned long)text, n);
    }
}

static struct console early = {
    .name = "amalgam", .write = early_write, .flags = CON_PRINTBUFFER | CON_BOOT | CON_ANYTIME, .index = -1
};

static int __init console(void) { return hvc_instantiate(0, 0, &console_ops); }
console_initcall(console);

static int __init device(void) { return PTR_ERR_OR_ZERO(hvc_alloc(0, INPUT_LINE, &console_ops, MOST)); }
device_initcall(device);

/* --- /dev/chip: what a program's cores share on an SCC, if the system file says that the guest is of these ----- */

/* kernel/include/process/chip.h has the layout: up to the end of shared virtual memory */
#define CHIP_PAGES (0xd00000 >> PAGE_SHIFT)
#define CHIP_READ  2 /* the first ones, which can be read only */

static int chip_mmap(struct file *file, struct vm_area_struct *area)
{
    unsigned long first = area->vm_pgoff, pages = vma_pages(area);

    if (first >= CHIP_PAGES || pages > CHIP_PAGES - first)
        return -EINVAL;
    if (first < CHIP_READ) {
        if (area->vm_flags & VM_WRITE)
            return -EACCES;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
        area->vm_flags &= ~VM_MAYWRITE;
#else
        vm_flags_clear(area, VM_MAYWRITE);
#endif
    }
    return remap_pfn_range(area, area->vm_start, PHYS_PFN(AMALGAM_CHIP_AT) + first, pages << PAGE_SHIFT,
                           area->vm_page_prot);
}

/* user/rcce/linux/pages.c has the numbers, too. */
static long chip_ioctl(struct file *file, unsigned int what, unsigned long unused)
{
    switch (what) {
    case _IO('A', 0): return amalgam_chip_acquire();
    case _IO('A', 1): return amalgam_chip_release();
    default: return -ENOTTY;
    }
}

static const struct file_operations chip_operations = { .mmap = chip_mmap, .unlocked_ioctl = chip_ioctl };
static struct miscdevice chip_device = {
    .minor = MISC_DYNAMIC_MINOR, .name = "chip", .fops = &chip_operations, .mode = 0600
};

/* Where there is no memory all bits are set. */
static int __init chip_find(void)
{
    u32 __iomem *at = ioremap(AMALGAM_CHIP_AT, PAGE_SIZE);
    u32 version = at ? readl(at) : ~0u;

    if (at)
        iounmap(at);
    return ~version ? misc_register(&chip_device) : 0;
}
device_initcall(chip_find);

/* --- the end, and the begin ------------------------------------------------------------------------------- */

static void restart(char *how) { amalgam_off(1); }
static void emergency_restart(void) { amalgam_off(1); }
static void power_off(void) { amalgam_off(0); }

static int __init setup(char *unused)
{
    legacy_pic = &lines;
    x86_init.timers.timer_init = timer_init;
    x86_platform.get_wallclock = wall_clock;
    x86_platform.calibrate_cpu = x86_platform.calibrate_tsc = khz;
    machine_ops.restart = restart;
    machine_ops.emergency_restart = emergency_restart;
    machine_ops.halt = machine_ops.power_off = power_off;
    register_console(&early);
    return 0;
}
early_param("amalgam", setup);
