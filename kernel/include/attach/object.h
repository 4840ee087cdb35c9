/* SPDX-License-Identifier: MIT */
/*
 * attach/object.h - virtualization objects (Mercury, 3.2.2 and 4.4): a table with all sensitive operations of this
 * kernel, in two instances.
 *
 * `native_object` uses the hardware. `virtual_object` asks the layer below, which then owns the hardware. The kernel
 * runs on one of them, `vobject`. Attach and detach change that pointer while each core is in the switch's interrupt
 * handler (attach/switch.h). In a kernel with CONFIG_SELFVIRT attach/self/object.c defines the HAL's functions
 * (hal_timer_arm, hal_ipi_resched, hal_console_put ...): it counts the caller in, calls the object's function, and
 * counts the caller out. A switch is made only when the counts of all cores are zero.
 *
 * Other operations need no function here. Page tables are the kernel's own in both modes (nested paging), and so is its
 * interrupt flag (the layer takes interrupts whatever it is). Rare sensitive operations (the clock chip) are trapped
 * and emulated, as in the paper.
 */
#ifndef AMALGAM_ATTACH_OBJECT_H
#define AMALGAM_ATTACH_OBJECT_H

#include <core/cpu.h>
#include <hal/cpu.h>
#include <hal/time.h>

enum vobject_ipi { IPI_RESCHED, IPI_SWITCH };

/*
 * The sensitive data of a core that one mode gives to the other. The interrupts that a console port enables are in its
 * own register in both modes; one that is under way is pending.
 */
struct vobject_state {
    ticks_t alarm; /* deadline of the one-shot alarm */
    u32 pending;   /* interrupts that were taken and not delivered; the architecture chooses the bits */
};

struct vobject {
    const char *name;
    /* Sensitive operations, as the HAL's functions. */
    void (*alarm)(ticks_t deadline);
    void (*irq_done)(void); /* acknowledge the interrupt that is being handled */
    void (*ipi)(unsigned cpu, enum vobject_ipi which);
    void (*stop_others)(void);
    void (*power_off)(void);
    unsigned (*console_put)(unsigned port, const u8 *bytes, unsigned n);
    void (*console_irqs)(unsigned port, unsigned which);
    int (*console_getc)(unsigned port);
    /*
     * Self-virtualization; all three are called in the switch's interrupt handler on each core. reload: put this core's
     * hardware control state into this object's mode; returns 0, or an error with the core unchanged. give: return this
     * mode's data for the core, after the core has left it. take: use this data from now on.
     */
    int (*reload)(void);
    void (*give)(struct vobject_state *s);
    void (*take)(const struct vobject_state *s);
};

extern const struct vobject native_object, virtual_object;
extern const struct vobject *vobject; /* the object that the kernel runs on */

/* The number of this core's threads and handlers that are inside a function of the object. */
struct vobject_users {
    u32 n;
} __aligned(64);
extern struct vobject_users vobject_users[MAX_CPUS];

/*
 * Operations that must use the same object are between these two; they must be short and must not block, or a switch is
 * deferred. The count is atomic, because a thread may be preempted in between. A thread does not change its core, so
 * each core has its own count.
 */
static inline const struct vobject *vobject_enter(void)
{
    __atomic_fetch_add(&vobject_users[this_cpu_here()->id].n, 1, __ATOMIC_RELAXED);
    barrier(); /* count first, then read the pointer; the core that checks the count is this one */
    return READ_ONCE(vobject);
}

static inline void vobject_leave(void)
{
    barrier();
    __atomic_fetch_sub(&vobject_users[this_cpu_here()->id].n, 1, __ATOMIC_RELAXED);
}

#endif
