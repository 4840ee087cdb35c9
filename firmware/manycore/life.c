/* SPDX-License-Identifier: MIT */
/*
 * life.c - starts, stops and restarts harts and clusters.
 *
 * A cluster's master copies image and device tree into the slice, clears what a former life left in
 * the outbox, and enters the kernel. The other harts are parked until the kernel starts them (SBI HSM). A hart may be
 * started before it has reached this file for the first time, because its state is 0, HART_STOPPED, in the firmware's
 * image.
 *
 * An order stops a whole cluster. The hart that gives it stores it and rings every hart; each hart that sees it parks.
 * When all are parked no call of the cluster is under way. Then the master, the last one, executes the order: it
 * restarts the cluster or leaves it stopped. A hart that leaves the park clears `parked` before it reads the order once
 * more; the order is stored before the master reads `parked` of all harts. The fences between make at least one of the
 * two see the other.
 */
#include "csr.h"
#include "hart.h"

struct hart harts[FW_HARTS];
struct cluster clusters[FW_CLUSTERS];

static bool is_master(const struct hart *me) { return me->id == cluster_table(me->cluster)->master; }

static void copy(const struct fw_copy *c)
{
    const ulong *from = (const ulong *)(ulong)c->from, *end = (const ulong *)(ulong)(c->from + c->size);
    for (ulong *to = (ulong *)(ulong)c->to; from < end; from += 16, to += 16) {
        ulong a = from[0], b = from[1], d = from[2], e = from[3], f = from[4], g = from[5], h = from[6], i = from[7];
        to[0] = a, to[1] = b, to[2] = d, to[3] = e, to[4] = f, to[5] = g, to[6] = h, to[7] = i;
        a = from[8], b = from[9], d = from[10], e = from[11], f = from[12], g = from[13], h = from[14], i = from[15];
        to[8] = a, to[9] = b, to[10] = d, to[11] = e, to[12] = f, to[13] = g, to[14] = h, to[15] = i;
    }
}

/* Set the registers of S-mode to their values after a reset: SBI 2.0, 9.1 (satp, sstatus.SIE), and all others that the
 * kernel's last run may have changed. */
static void reset_supervisor(struct hart *me)
{
    csr_clear(mstatus, MSTATUS_RESET);
    csr_set(mstatus, MSTATUS_S);
    csr_write(satp, 0);
    csr_write(mie, IRQ_MS | IRQ_MT | IRQ_ME);
    csr_write(scounteren, 2); /* programs may read the time, as under OpenSBI */
    csr_write(SENVCFG, 0);
    csr_write(STIMECMP, ~0ul);
#if __riscv_xlen == 32
    csr_write(STIMECMPH, ~0ul);
#endif
    me->rung = 0;
    csr_clear(mip, IRQ_SS | IRQ_SE);
}

/* Delegate exceptions, interrupts and counters to S-mode; called once for each hart. Supervisor timers are S-mode's own
 * (sstc): STCE is the top bit of menvcfg. */
static void delegate(void)
{
    csr_write(mideleg, IRQ_SS | IRQ_ST | IRQ_SE);
    csr_write(medeleg, 0xb1ff); /* causes 0 to 8, page faults 12, 13 and 15; not ecall from S-mode */
    csr_write(mcounteren, 7);   /* cycle, time, instret */
#if __riscv_xlen == 64
    csr_set(MENVCFG, 1ul << 63);
#else
    csr_set(MENVCFGH, 1ul << 31);
#endif
}

/* Start the cluster. Called by the master in hart_park(), when all other harts of the cluster are parked. */
static _Noreturn void cluster_start(struct hart *me)
{
    const struct fw_cluster *own = cluster_table(me->cluster);
    const struct fw_copy *copies = (const struct fw_copy *)(ulong)own->copies;
    struct cluster *c = &clusters[me->cluster];

    ulong before = own->lives + c->starts++;
    for (u32 i = 0; i < own->n_copies; i++) {
        copy(&copies[i]);
        if (before) /* the board's memory is zero at reset */
            clear(copies[i].to + copies[i].size, copies[i].zeros);
    }
    if (before)
        outbox_clear(own->outbox, own->outbox_size, table()->n_clusters);
    me->state = HART_STARTED;
    reset_supervisor(me);
    fence();
    enter_supervisor(me->id, own->tree, before, before ? 0 : FW_FRESH, own->entry);
}

static void arm_kill(struct hart *me)
{
    const struct fw_cluster *own = cluster_table(me->cluster);
    const u64 *kills = (const u64 *)(ulong)own->kills;
    u32 next = clusters[me->cluster].next_kill;
    mtimecmp_set(me->id, is_master(me) && next < own->n_kills ? kills[next] : ~0ull);
}

_Noreturn void hart_boot(ulong id)
{
    struct hart *me = &harts[id];
    const u16 *hart_cluster = (const u16 *)(ulong)table()->hart_cluster;
    me->id = (u32)id;
    me->cluster = hart_cluster[id];
    if (!id)
        console_init();
    if (!id && is_fleet())
        ivshmem_init();
    pmp_init(cluster_table(me->cluster));
    delegate();
    arm_kill(me);
    if (!is_master(me))
        hart_park(me);
    cluster_start(me);
}

void cluster_order(struct hart *me, enum cluster_order order)
{
    const struct fw_cluster *own = cluster_table(me->cluster);
    __atomic_store_n(&clusters[me->cluster].order, order, __ATOMIC_RELEASE);
    for (u32 i = 0; i < own->n_harts; i++)
        mswi_ring(cluster_hart(own, i));
}

void cluster_timer(struct hart *me)
{
    const struct fw_cluster *own = cluster_table(me->cluster);
    struct cluster *c = &clusters[me->cluster];
    const u64 *kills = (const u64 *)(ulong)own->kills;
    if (is_master(me) && c->next_kill < own->n_kills && mtime() >= kills[c->next_kill]) {
        c->next_kill++;
        if (!c->order) {
            console_say(me->cluster, "killed");
            cluster_order(me, ORDER_RESTART);
        }
    }
    arm_kill(me);
}

/* Called by the master if its cluster has an order: execute it when all harts are parked. The last hart that parks
 * rings the master. */
static void cluster_obey(struct hart *me, struct cluster *c)
{
    const struct fw_cluster *own = cluster_table(me->cluster);
    fence();
    for (u32 i = 0; i < own->n_harts; i++)
        if (!__atomic_load_n(&harts[cluster_hart(own, i)].parked, __ATOMIC_ACQUIRE))
            return;
    device_reset_all(me->cluster);
    if (c->order == ORDER_STOP) {
        if (!c->announced)
            console_say(me->cluster, "stopped");
        c->announced = 1;
        return;
    }
    for (u32 i = 0; i < own->n_harts; i++)
        harts[cluster_hart(own, i)].state = HART_STOPPED;
    me->parked = 0;
    __atomic_store_n(&c->order, ORDER_NONE, __ATOMIC_RELEASE);
    cluster_start(me);
}

/* Leave the park, unless the cluster has an order by now. */
static void leave(struct hart *me, struct cluster *c)
{
    __atomic_store_n(&me->parked, 0, __ATOMIC_RELEASE);
    fence();
    if (__atomic_load_n(&c->order, __ATOMIC_ACQUIRE))
        return;
    ulong start = me->start, opaque = me->opaque;
    reset_supervisor(me);
    __atomic_store_n(&me->state, HART_STARTED, __ATOMIC_RELEASE);
    enter_supervisor(me->id, opaque, 0, 0, start);
}

_Noreturn void hart_park(struct hart *me)
{
    struct cluster *c = &clusters[me->cluster];
    csr_write(mie, IRQ_MS | IRQ_MT);
    for (;;) {
        mswi_clear(me->id);
        __atomic_store_n(&me->parked, 1, __ATOMIC_RELEASE);
        fence();
        if (csr_read(mip) & IRQ_MT)
            cluster_timer(me);
        if (__atomic_load_n(&c->order, __ATOMIC_ACQUIRE)) {
            if (is_master(me))
                cluster_obey(me, c);
            else
                mswi_ring(cluster_table(me->cluster)->master);
        } else if (__atomic_load_n(&me->state, __ATOMIC_ACQUIRE) == HART_START_PENDING) {
            leave(me, c);
            continue;
        }
        wfi();
    }
}
