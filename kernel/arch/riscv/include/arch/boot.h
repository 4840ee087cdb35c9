/* SPDX-License-Identifier: MIT */
/* arch/boot.h (RISC-V) - what the device tree said of the machine, and the steps of coming up. */
#ifndef AMALGAM_ARCH_BOOT_H
#define AMALGAM_ARCH_BOOT_H

#include <boot_info.h>
#include <core/cpu.h>
#include <types.h>

#define NO_NUMBER (~0u)

#define MACHINE_CLUSTERS 32          /* that a network between clusters has, at most */
#define MACHINE_NOC_MAX  (32u << 20) /* bytes */

struct machine_range {
    paddr_t at;
    u64 size;
};

struct machine {
    unsigned n_harts, left_out;   /* usable ones; more than the kernel runs */
    unsigned long hart[MAX_CPUS]; /* their numbers */
    u32 intc[MAX_CPUS];           /* the phandle of each one's interrupt controller */
    u64 time_hz;
    bool sstc;                     /* all of them have stimecmp */
    paddr_t uart, plic, sswi, rtc; /* 0: there is none */
    u32 uart_irq, uart_shift;      /* its input of the PLIC, 0: none; log2 of the distance of its registers */
    u32 plic_context[MAX_CPUS];    /* of each hart's supervisor mode, or NO_NUMBER */
    u32 bell[MAX_CPUS];            /* each hart's register of the SSWI, or NO_NUMBER */
    /* Between clusters (docs/boards.md): all outboxes, this cluster's own, a word a hart, and the first hart of each of
     * n_masters clusters; 0: there is no network, or none that we understand. */
    struct machine_range noc, outbox, doorbells;
    u32 n_masters, master[MACHINE_CLUSTERS];
};
extern struct machine machine;

/* Fill both from a device tree of at most `max` bytes. 0, -EINVAL (malformed, or lacks what the kernel cannot be
 * without), -ENOSPC (more memory regions than boot_info holds). A pure reader, but for `*bi` and `*m`. */
int machine_read(const void *tree, u32 max, struct boot_info *bi, struct machine *m);

/* entry.S: the first hart, tables on, and each hart that smp_start() has started. */
__noreturn void arch_main(unsigned long hart, unsigned long tree, unsigned long image);
__noreturn void hart_main(struct cpu *c);
void hart_entry(void);
/* Continue in fn(arg) on another stack (cpu/switch.S). */
__noreturn void call_on_stack(void (*fn)(unsigned), unsigned arg, void *top);
/* boot/tables.c; runs before translation is on. Returns satp. */
unsigned long boot_tables(unsigned long image, unsigned long tree);

void smp_start(void);
void time_init(void);
void time_init_hart(void);
void fpu_init_hart(void);
/* .init.text is no more. */
extern bool init_dropped;

#endif
