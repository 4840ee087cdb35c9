/* SPDX-License-Identifier: MIT */
/*
 * native.c - the native virtualization object, which uses the hardware (attach/object.h). It records what the kernel
 * asked for, and gives that to the virtual object (selfvirt/virtual.c) at a switch.
 */
#include <arch/apic.h>
#include <arch/cpu.h>
#include <arch/direct.h>
#include <board/pc/uart.h>
#include <core/console.h>

#include "layer.h"

static struct vobject_state native_state[MAX_CPUS];

static void native_alarm(ticks_t deadline)
{
    native_state[this_cpu_here()->id].alarm = deadline;
    time_alarm_at(deadline);
}

void native_eoi(void) { apic_write(APIC_EOI, 0); }

void native_ipi(unsigned cpu, enum vobject_ipi which)
{
    apic_icr(cpus[cpu]->arch.apic_id, which == IPI_RESCHED ? VEC_IPI : VEC_SWITCH);
}

/* The ports are there with a layer beneath, too. */
bool hal_console_present(unsigned port) { return uart_present(port); }

/* Leave guest mode on this core. */
static int native_reload(void)
{
    layer_leave();
    return 0;
}

static void native_give(struct vobject_state *s) { *s = native_state[this_cpu()->id]; }

/* Send this core the interrupts again that the layer has taken and not delivered; their handlers check what is due. */
static void native_take(const struct vobject_state *s)
{
    u32 me = this_cpu()->arch.apic_id;
    for (u32 left = s->pending; left; left &= left - 1)
        apic_icr(me, VEC_IRQ_FIRST + (u32)__builtin_ctz(left));
    native_alarm(s->alarm);
}

const struct vobject native_object = {
    .name = "native",
    .alarm = native_alarm,
    .irq_done = native_eoi,
    .ipi = native_ipi,
    .stop_others = apic_stop_others,
    .power_off = acpi_power_off,
    .console_put = uart_put,
    .console_irqs = uart_irqs,
    .console_getc = uart_getc,
    .reload = native_reload,
    .give = native_give,
    .take = native_take,
};
