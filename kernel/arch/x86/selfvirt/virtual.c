/* SPDX-License-Identifier: MIT */
/* virtual.c - the virtual virtualization object, which calls the layer (attach/object.h). */
#include <arch/cpu.h>
#include <string.h>

#include "layer.h"

u64 layer_call(enum layer_call which, u64 a, u64 b, u64 c)
{
    u64 result;
    __asm__ volatile("vmmcall" : "=a"(result) : "a"((u64)which), "D"(a), "S"(b), "d"(c) : "memory");
    return result;
}

static void virtual_alarm(ticks_t deadline) { layer_call(LAYER_ALARM, deadline, 0, 0); }

/* The layer has acknowledged the interrupt at the APIC already; it only needs to know when more are pending. */
static void virtual_irq_done(void)
{
    if (READ_ONCE(layers[this_cpu_here()->id].more))
        layer_call(LAYER_NEXT, 0, 0, 0);
}

static void virtual_ipi(unsigned cpu, enum vobject_ipi which) { layer_call(LAYER_IPI, cpu, which, 0); }
static void virtual_stop_others(void) { layer_call(LAYER_STOP_OTHERS, 0, 0, 0); }
static void virtual_power_off(void) { layer_call(LAYER_POWER_OFF, 0, 0, 0); }

static unsigned virtual_console_put(unsigned port, const u8 *bytes, unsigned n)
{
    u64 words[2] = { 0, 0 };
    n = MIN(n, sizeof(words));
    memcpy(words, bytes, n);
    return (unsigned)layer_call(LAYER_CONSOLE_PUT, port | n << 8, words[0], words[1]);
}

static void virtual_console_irqs(unsigned port, unsigned which) { layer_call(LAYER_CONSOLE_IRQS, port, which, 0); }
static int virtual_console_getc(unsigned port) { return (int)layer_call(LAYER_CONSOLE_GETC, port, 0, 0); }
static int virtual_reload(void) { return layer_attach(&layers[this_cpu()->id]); }
static void virtual_give(struct vobject_state *s) { *s = layers[this_cpu()->id].state; }

/* Give the layer the alarm; the timer is still armed for it. Interrupts that are pending in the APIC make the guest
 * exit as soon as it runs. */
static void virtual_take(const struct vobject_state *s) { layers[this_cpu()->id].state.alarm = s->alarm; }

const struct vobject virtual_object = {
    .name = "virtual",
    .alarm = virtual_alarm,
    .irq_done = virtual_irq_done,
    .ipi = virtual_ipi,
    .stop_others = virtual_stop_others,
    .power_off = virtual_power_off,
    .console_put = virtual_console_put,
    .console_irqs = virtual_console_irqs,
    .console_getc = virtual_console_getc,
    .reload = virtual_reload,
    .give = virtual_give,
    .take = virtual_take,
};
