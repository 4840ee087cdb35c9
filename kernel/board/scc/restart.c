/* SPDX-License-Identifier: MIT */
/*
 * restart.c - resets another core alone: `reset 17` at the control console (sccReset of MetalSVM's paper, IV).
 *
 * INIT stops the core wherever it is, and the start-up interrupt brings it into the start-up code. Its memory has been
 * used, so the start-up code waits there until the host has loaded it again (reset.S, tools/amalgam/scc/reset.py). The
 * other kernels see a core that does not run, until its kernel says that it is up. The machines of a fleet are only
 * reset by the host.
 */
#include <arch/apic.h>
#include <board/scc.h>
#include <core/log.h>
#include <core/monitor.h>
#include <core/thread.h>
#include <errors.h>

#include "commands.h"
#include "ring.h"

#define INIT_NS 10000000ull /* a core takes INIT before it looks at the start-up interrupt (as boot/smp.c) */

unsigned scc_parse_core(const char *text)
{
    unsigned core = 0;
    const char *at = text;
    while (*at >= '0' && *at <= '9' && core < SCC_CORES)
        core = core * 10 + (unsigned)(*at++ - '0');
    return at == text || *at ? SCC_CORES : core;
}

static int cmd_reset(const char *arg)
{
    unsigned core = scc_parse_core(arg);
    if (scc_doorbell)
        return -EOPNOTSUPP;
    if (!core || !scc_chosen(core)) {
        printk("say reset CORE: one that was chosen to boot, but not core 0\n");
        return -EINVAL;
    }
    ring_reader_expect();
    apic_icr(core, SCC_ICR_INIT);
    thread_sleep_ns(INIT_NS);
    WRITE_ONCE(scc_shared()->up[core], 0); /* now that its kernel does not write it again (watch.c) */
    apic_icr(core, SCC_ICR_STARTUP | scc_start_page);
    return 0;
}

MONITOR_COMMAND(reset, "reset", "CORE", "reset a core, which then waits for the host to load its memory",
                .run = cmd_reset);
