/* SPDX-License-Identifier: MIT */
/* here.c - guests of a board whose kernels all have the same system, and each of which creates those of its core
 * (CONFIG_SCC). */
#include <board/scc.h>
#include <core/log.h>
#include <net/net.h>
#include <vm/system_part.h>
#include <vm/vm.h>

/* Of a guest of other cores. There is nothing of it here, and no end of a channel. */
static void kill(struct domain *d) {}
static void stats(struct domain *d) { printk("%s: runs on other cores\n", d->conf->name); }
static const struct domain_ops elsewhere = { .start = domain_elsewhere, .kill = kill, .stats = stats };

__init_text bool vm_is_here(struct domain *d)
{
    const struct sys_vm *conf = sys_vm(d->conf);
    for (unsigned i = 0; i < conf->n_devices; i++)
        if (conf->device[i].type == SYS_DEV_NET)
            net_route(conf->device[i].net, conf->device[i].mac, conf->ues, d->id);
    bool here = conf->ues >> scc_core & 1;
    if (!here)
        d->ops = &elsewhere;
    return here;
}
