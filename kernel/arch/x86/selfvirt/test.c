/* SPDX-License-Identifier: MIT */
/*
 * test.c - `refuse CORE`: the processor refuses the core's next VMRUN, so that a switch must be undone on all cores.
 * `stray`: executes an instruction that only native code may use.
 */
#include <arch/apic.h>
#include <core/log.h>
#include <core/monitor.h>
#include <errors.h>

#include "layer.h"

/* ASID 0 is the host's (APM vol. 2, 15.5.1). A second `refuse` corrects it. */
static int cmd_refuse(const char *arg)
{
    unsigned cpu = (unsigned)(*arg - '0');
    if (!*arg || arg[1] || cpu >= n_cpus || cpu > 9)
        return -EINVAL;
    struct vmcb *b = layers[cpu].vmcb;
    b->asid = !b->asid;
    printk("cpu %u: VMRUN would be %s\n", cpu, b->asid ? "taken" : "refused");
    return 0;
}

/* Reads the local APIC, which belongs to the kernel or to the layer. */
static int cmd_stray(const char *arg)
{
    printk("local APIC version %x\n", apic_read(APIC_VERSION) & 0xff);
    return 0;
}

MONITOR_COMMAND(refuse, "refuse", "CORE", "let the processor refuse the core's VMRUN, or not any more",
                .run = cmd_refuse);
MONITOR_COMMAND(stray, "stray", "", "native code, in whatever mode", .run = cmd_stray);
