/* SPDX-License-Identifier: MIT */
/*
 * hart.h - harts and clusters as the firmware keeps them, and its parts' contracts.
 *
 * A hart is in S- or U-mode (STARTED), in a call of the firmware, or parked: it waits in WFI in M-mode. A trap to
 * M-mode runs to its end with interrupts off and takes the time of its own hart only; what it waits for is a lock that
 * a hart in M-mode holds. Everything a kernel hands over is hostile.
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

/* What all harts of a cluster are to do. */
enum cluster_order { ORDER_NONE, ORDER_STOP, ORDER_RESTART };

struct hart {
    u32 state;  /* enum hart_state; shared by the cluster's harts */
    u32 parked; /* in hart_park(), and so in no call */
    ulong start, opaque;
    u32 id;
    u16 cluster;
    u16 pad;
    u32 rung; /* its supervisor software interrupt is to be raised: a board without SSWI */
};

struct cluster {
    u32 order;     /* enum cluster_order */
    u32 starts;    /* how often it was started */
    u32 next_kill; /* index into fw_cluster.kills */
    u32 announced; /* that it has stopped */
};

/* Registers of the interrupted mode; start.S fills in those that a call may change. */
struct frame {
    ulong x[32];
};
enum { REG_A0 = 10, REG_A1, REG_A2, REG_A3, REG_A4, REG_A5, REG_A6, REG_A7 };

extern struct hart harts[FW_HARTS];
extern struct cluster clusters[FW_CLUSTERS];

static inline const struct fw_table *table(void) { return (const struct fw_table *)FW_TABLE; }
/* Whether each cluster is a machine of its own, with the NoC slice in a device. */
static inline bool is_fleet(void) { return table()->device; }
static inline const struct fw_cluster *cluster_table(u32 cluster)
{
    return (const struct fw_cluster *)(ulong)table()->clusters + cluster;
}

/* The number of a cluster's hart; `i` is 0 for its master. */
static inline u32 cluster_hart(const struct fw_cluster *own, u32 i)
{
    return i ? own->first_slave + i - 1 : own->master;
}

/* life.c */

/* Prepare hart `id` and start its cluster (a master), or park it. Called once a hart, on its own stack. */
_Noreturn void hart_boot(ulong id);
/* Stop the hart until hart_start() of its cluster, or until its cluster starts again. */
_Noreturn void hart_park(struct hart *me);
/* Every hart of the cluster is to obey `order` as soon as it is in M-mode again; the caller, too: call hart_park(). */
void cluster_order(struct hart *me, enum cluster_order order);
/* If a moment of fw_cluster.kills has come: order a restart, and wait for the next one. The caller is the master. */
void cluster_timer(struct hart *me);

/* bell.c */

/* Raise the supervisor software interrupt of a hart of the caller's cluster. */
void bell_ring(u32 hart);
/* The firmware of this hart was rung: raise the supervisor's interrupt if that was why. */
void bell_rung(struct hart *me);
/* Raise the supervisor software interrupt of this hart, since another cluster's machine has rung. */
void bell_foreign(void);

#define IVSHMEM_DOORBELL                                                                                               \
    12 /* the one register that a kernel writes: a peer's number in its upper half rings that peer */

/* ivshmem.c: make the fleet's shared memory the NoC slice, and take its interrupts on this hart (0). */
void ivshmem_init(void);

/* sbi.c: one call of the supervisor; the result goes to a0 and a1 of the frame. */
void sbi_call(struct hart *me, struct frame *frame);

/* console.c */
void console_init(void);
/* Say `size` bytes (bounded by the caller) for `speaker`. */
void console_put(u32 speaker, const char *text, size_t size);
/* Take at most `size` bytes that were typed for `cluster`; returns how many. */
size_t console_get(u32 cluster, char *text, size_t size);
/* A line of the firmware's own: "cluster N: TEXT". */
void console_say(u32 cluster, const char *text);

/* pmp.c: close everything to S- and U-mode of this hart but what its cluster has, and the masters' doorbells. */
void pmp_init(const struct fw_cluster *own);

/* start.S: leave M-mode; a0 to a2 as given, the other registers 0. */
_Noreturn void enter_supervisor(ulong a0, ulong a1, ulong a2, ulong pc);

/* start.S: the trap vector. */
void trap_entry(void);
#endif
#endif
