/* SPDX-License-Identifier: MIT */
/*
 * hart.h - the firmware's records of harts and clusters, and the functions that its parts offer each other.
 *
 * A hart is in S- or U-mode (STARTED), in a call of the firmware, or parked, which means that it waits in WFI in
 * M-mode. A trap to M-mode runs to its end with interrupts off and costs time of its own hart only; it waits at most
 * for a lock that another hart in M-mode holds. All arguments of a kernel are hostile.
 */
#ifndef FIRMWARE_HART_H
#define FIRMWARE_HART_H

#include "table.h"

#define HART_AREA_SHIFT                                                                                                \
    11 /* a stack of 2 KiB; no function takes more than 256 bytes (Makefile), no call is recursive */

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>

enum hart_state { HART_STOPPED, HART_STARTED, HART_CLAIMED, HART_START_PENDING, HART_SUSPENDED };

/* An order for all harts of a cluster. */
enum cluster_order { ORDER_NONE, ORDER_STOP, ORDER_RESTART };

struct hart {
    u32 state;  /* enum hart_state; shared by the cluster's harts */
    u32 parked; /* it is in hart_park(), and so in no call */
    ulong start, opaque;
    u32 id;
    u16 cluster;
    u16 pad;
    u32 rung; /* on a board without SSWI: it has to raise its supervisor software interrupt */
};

struct cluster {
    u32 order;     /* enum cluster_order */
    u32 starts;    /* how often the cluster was started */
    u32 next_kill; /* index into fw_cluster.kills */
    u32 announced; /* the line that it has stopped was printed */
};

/* Registers of the interrupted mode. start.S saves those that a C function may change. */
struct frame {
    ulong x[32];
};
enum { REG_A0 = 10, REG_A1, REG_A2, REG_A3, REG_A4, REG_A5, REG_A6, REG_A7 };

extern struct hart harts[FW_HARTS];
extern struct cluster clusters[FW_CLUSTERS];

static inline const struct fw_table *table(void) { return (const struct fw_table *)FW_TABLE; }
/* Returns whether each cluster is a machine of its own, with the NoC slice in a device. */
static inline bool is_fleet(void) { return table()->device; }
static inline const struct fw_cluster *cluster_table(u32 cluster)
{
    return (const struct fw_cluster *)(ulong)table()->clusters + cluster;
}

/* Returns the number of a cluster's i-th hart; the 0th is its master. */
static inline u32 cluster_hart(const struct fw_cluster *own, u32 i)
{
    return i ? own->first_slave + i - 1 : own->master;
}

/* life.c */

/* Prepare hart `id`; then start its cluster if it is a master, otherwise park it. Called once for each hart, on its own
 * stack. */
_Noreturn void hart_boot(ulong id);
/* Stop the hart until its cluster's kernel starts it (SBI HSM), or until its cluster is restarted. */
_Noreturn void hart_park(struct hart *me);
/* Order something for all harts of the cluster, which obey when they are in M-mode the next time. The caller has to
 * call hart_park() then. */
void cluster_order(struct hart *me, enum cluster_order order);
/* If the next time of fw_cluster.kills has come, order a restart; set the timer for the next one. Called on the master.
 */
void cluster_timer(struct hart *me);

/* outbox.c */

/* Clear memory: a multiple of 16 registers. */
void clear(ulong base, ulong size);
/* Clear an outbox: first the first word of each of the `n_clusters` areas at its begin, then all of it. */
void outbox_clear(ulong base, ulong size, u32 n_clusters);

/* bell.c */

/* Raise the supervisor software interrupt of a hart of the caller's cluster. */
void bell_ring(u32 hart);
/* Called when the firmware of this hart was rung: raise the supervisor software interrupt if bell_ring() asked for it.
 */
void bell_rung(struct hart *me);
/* Called when another cluster's machine has rung: raise the supervisor software interrupt of this hart. */
void bell_foreign(void);

#define IVSHMEM_DOORBELL                                                                                               \
    12 /* the one register that a kernel writes: a peer's number in its upper half rings that peer */

/* ivshmem.c: map the fleet's shared memory as the NoC slice, and enable its interrupts on this hart, which is hart 0.
 */
void ivshmem_init(void);

/* device.c */

/* Reset all devices of a cluster, none of whose harts is in a call. Whether one has obeyed is not waited for: one that
 * has not may still reach the cluster's slice (docs/caveats.md), and is not started again. */
void device_reset_all(u32 cluster);
/* Called when a device has interrupted this hart: mask it, and raise the supervisor external interrupt. */
void device_interrupt(struct hart *me);

/* sbi.c: do one call of the supervisor. Stores the result in a0 and a1 of the frame. */
void sbi_call(struct hart *me, struct frame *frame);

/* console.c */
void console_init(void);
/* Print `size` bytes, which the caller limits, with the tag of `speaker`. */
void console_put(u32 speaker, const char *text, size_t size);
/* Take at most `size` bytes that were typed for `cluster`. Returns how many. */
size_t console_get(u32 cluster, char *text, size_t size);
/* Print a line of the firmware: "cluster N: TEXT". */
void console_say(u32 cluster, const char *text);

/* pmp.c: close all memory to S- and U-mode of this hart, except what its cluster has and the masters' doorbells. */
void pmp_init(const struct fw_cluster *own);

/* start.S: enter S-mode at `pc` with a0 to a3 and zeros in all other registers. */
_Noreturn void enter_supervisor(ulong a0, ulong a1, ulong a2, ulong a3, ulong pc);

/* start.S: the trap vector. */
void trap_entry(void);
#endif
#endif
