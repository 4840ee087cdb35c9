/* SPDX-License-Identifier: MIT */
/* arch/boot.h (RISC-V) - the machine as the device tree describes it, and the steps of boot. */
#ifndef AMALGAM_ARCH_BOOT_H
#define AMALGAM_ARCH_BOOT_H

#include <boot_info.h>
#include <core/cpu.h>
#include <types.h>

#define NO_NUMBER (~0u)

#define MACHINE_CLUSTERS 32          /* at most so many on a network between clusters */
#define MACHINE_NOC_MAX  (32u << 20) /* bytes */

struct machine_range {
    paddr_t at;
    u64 size;
};

struct machine {
    unsigned n_harts, left_out;   /* harts that we use; harts beyond MAX_CPUS */
    unsigned long hart[MAX_CPUS]; /* their numbers */
    u32 intc[MAX_CPUS];           /* the phandle of each one's interrupt controller */
    u64 time_hz;
    bool sstc;               /* all harts have stimecmp */
    bool svnapot;            /* and pages of 64 KiB (PAGES_64K) */
    bool zeroed;             /* free memory is zero before the first start */
    paddr_t uart, plic, rtc; /* 0: there is none */
    u32 uart_irq,
        uart_shift; /* the serial port's input of the PLIC (0: none); log2 of the distance between its registers */
    u32 plic_context[MAX_CPUS]; /* of each hart's supervisor mode, or NO_NUMBER */
    paddr_t bell[MAX_CPUS];     /* each hart's register of an SSWI; 0: none */
    /* The network between clusters (docs/boards.md): all outboxes, this cluster's own, the doorbells, and what rings
     * each of n_rings clusters. n_rings is 0 if there is no network, or none that we understand. */
    struct machine_range noc, outbox, doorbells;
    u32 life;        /* of this cluster: its starts, from 1 (life.h) */
    u32 patience_ms; /* until a silent cluster is taken for dead */
    u32 n_rings;
    struct machine_ring {
        u32 at, value; /* store `value` at this offset of the doorbells */
    } ring[MACHINE_CLUSTERS];
};
extern struct machine machine;

/* slots.c: places of virtio devices, with their inputs of the PLIC; 0: none. A kernel without drivers keeps none. */
#define MACHINE_SLOTS 8 /* at most */
struct machine_slot {
    paddr_t at;
    u32 irq;
};
void slot_take(paddr_t at, u32 irq);
/* Return their number, and the first one, in the order of their addresses, in *list. */
u32 machine_slots(const struct machine_slot **list);

/* Read a device tree of at most `max` bytes into *bi and *m; changes nothing else. Returns 0, -EINVAL (malformed, or
 * something is missing that the kernel needs), or -ENOSPC (more memory regions than boot_info holds). */
int machine_read(const void *tree, u32 max, struct boot_info *bi, struct machine *m);

struct fdt;
/* Part of that: read the node of this cluster. *listed becomes true if it lists the harts. Returns 0 or -EINVAL. */
int machine_read_cluster(struct fdt *f, u32 node, struct boot_info *bi, struct machine *m, bool *listed);

/* Called by entry.S with translation on: the first hart, and each hart that smp_start() has started. */
__noreturn void arch_main(unsigned long hart, unsigned long tree, unsigned long image, unsigned long starts);
__noreturn void hart_main(struct cpu *c);
void hart_entry(void);
/* Call fn(arg) on another stack and never return (cpu/switch.S). */
__noreturn void call_on_stack(void (*fn)(unsigned), unsigned arg, void *top);
/* Make the first page tables (boot/tables.c). Runs before translation is on. Returns the value for satp. */
unsigned long boot_tables(unsigned long image, unsigned long tree);

void smp_start(void);
void time_init(void);
void time_init_hart(void);
void fpu_init_hart(void);
/* The memory of .init.text has been freed. */
extern bool init_dropped;

#endif
