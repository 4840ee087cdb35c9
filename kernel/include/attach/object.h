/* SPDX-License-Identifier: MIT */
/*
 * attach/object.h - virtualization objects (Mercury, 3.2.2 and 4.4): every sensitive operation of this kernel behind
 * one table of functions, in two instances.
 *
 * `native_object` works on the hardware; `virtual_object` asks the layer beneath, which then owns it.  The kernel runs
 * on one of them, `vobject`; attach and detach change that pointer while every core stands in the switch's interrupt
 * handler (attach/switch.h).  What core/ calls by its HAL name (hal_timer_arm, hal_ipi_resched, hal_console_put ...) is
 * attach/self/object.c in a kernel with CONFIG_SELFVIRT: it counts itself in, calls the object's function and counts
 * itself out; a switch is made only when the counts of all cores are zero.
 *
 * What is not here needs no function of its own: page tables are the kernel's own in both modes (nested paging), its
 * interrupt flag is (the layer takes interrupts whatever it says), and what is sensitive but rare (the clock chip) is
 * trapped and emulated, as in the paper.
 */
#ifndef AMALGAM_ATTACH_OBJECT_H
#define AMALGAM_ATTACH_OBJECT_H

#include <core/cpu.h>
#include <hal/cpu.h>
#include <hal/time.h>

enum vobject_ipi { IPI_RESCHED, IPI_SWITCH };

/*
 * The sensitive data of a core that one mode hands to the other: what the hardware, or the layer, owes the kernel. What
 * a console port interrupts for is in its own register in both modes; an interrupt of it that is under way is pending.
 */
struct vobject_state {
    ticks_t alarm; /* what the one-shot alarm is armed for */
    u32 pending;   /* interrupts that came and were not delivered; bits as the architecture likes */
};

struct vobject {
    const char *name;
    /* Sensitive operations: as the functions of the HAL that they are behind. */
    void (*alarm)(ticks_t deadline);
    void (*irq_done)(void); /* the interrupt that is being handled is acknowledged */
    void (*ipi)(unsigned cpu, enum vobject_ipi which);
    void (*stop_others)(void);
    void (*power_off)(void);
    unsigned (*console_put)(unsigned port, const u8 *bytes, unsigned n);
    void (*console_irqs)(unsigned port, unsigned which);
    int (*console_getc)(unsigned port);
    /*
     * Self-virtualization. All three in the switch's interrupt handler, on each core.
     * reload: put this core's hardware control state into this object's mode; 0, or the core is where it was.
     * give: what this mode held for the core, after the core has left it.
     * take: hold that from now on.
     */
    int (*reload)(void);
    void (*give)(struct vobject_state *s);
    void (*take)(const struct vobject_state *s);
};

extern const struct vobject native_object, virtual_object;
extern const struct vobject *vobject; /* the object that the kernel runs on */

/* How many of this core's threads and handlers are inside a function of the object. */
struct vobject_users {
    u32 n;
} __aligned(64);
extern struct vobject_users vobject_users[MAX_CPUS];

/*
 * Several operations that must meet the same object stand between these two; short and non-blocking, or a switch is put
 * off. A thread may be preempted in between, hence the atomic count; it does not change its core, hence no other does.
 */
static inline const struct vobject *vobject_enter(void)
{
    __atomic_fetch_add(&vobject_users[this_cpu_here()->id].n, 1, __ATOMIC_RELAXED);
    barrier(); /* first counted, then looked: the core that looks at the count is this one */
    return READ_ONCE(vobject);
}

static inline void vobject_leave(void)
{
    barrier();
    __atomic_fetch_sub(&vobject_users[this_cpu_here()->id].n, 1, __ATOMIC_RELAXED);
}

#endif
