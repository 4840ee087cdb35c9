/* SPDX-License-Identifier: MIT */
/*
 * object.c - the HAL's sensitive functions, which call the virtualization object (attach/object.h).
 *
 * This file is linked in place of cpu/direct.c, board/pc/console.c and board/pc/power.c, which call the hardware.
 */
#include <attach/object.h>
#include <core/console.h>

const struct vobject *vobject = &native_object;
struct vobject_users vobject_users[MAX_CPUS];

void hal_timer_arm(ticks_t deadline)
{
    vobject_enter()->alarm(deadline);
    vobject_leave();
}

void hal_ipi_resched(unsigned cpu)
{
    vobject_enter()->ipi(cpu, IPI_RESCHED);
    vobject_leave();
}

void hal_stop_others(void)
{
    vobject_enter()->stop_others();
    vobject_leave();
}

void hal_power_off(void)
{
    vobject_enter()->power_off();
    vobject_leave();
}

unsigned hal_console_put(unsigned port, const u8 *bytes, unsigned n)
{
    unsigned took = vobject_enter()->console_put(port, bytes, n);
    vobject_leave();
    return took;
}

void hal_console_irqs(unsigned port, unsigned which)
{
    vobject_enter()->console_irqs(port, which);
    vobject_leave();
}

int hal_console_getc(unsigned port)
{
    int c = vobject_enter()->console_getc(port);
    vobject_leave();
    return c;
}
