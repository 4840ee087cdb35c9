/* SPDX-License-Identifier: MIT */
/* arch/boot.h (x86) - the steps of coming up, in the order that main.c takes them. */
#ifndef AMALGAM_ARCH_BOOT_H
#define AMALGAM_ARCH_BOOT_H

#include <arch/acpi.h>
#include <arch/pte.h>
#include <boot_info.h>
#include <hal/memory.h>
#include <types.h>

/* What the ACPI tables said (machine.c). */
extern struct acpi_info machine;

/* The global interrupt that an ISA interrupt arrives as. */
u32 machine_isa_gsi(unsigned irq);
void machine_discover(void);
/* Physical memory while the boot tables stand: a pointer, or NULL above 4 GiB. */
const void *boot_memory(paddr_t pa, u64 size);
/* Final page tables, per-section rights. */
void paging_init(void);
/* The calling core leaves the boot tables for them (control registers, PAT). */
void paging_enable_cpu(void);
/* .init.text is no more (init_drop.c; init_keep.c never drops it). */
extern bool init_dropped;
int paging_map(u64 va, paddr_t pa, u64 size, u64 flags);
/* The entry of a page that is mapped by itself: of the image (it lies between 1 and 2 MiB), of a stack. */
pte_t *paging_entry(const void *p);
/* This core forgets all translations, global ones, too (APM vol. 2, 5.5.2). */
void paging_flush(void);
/* Physical address of the top-level table. */
paddr_t paging_root(void);
/* A clock whose rate is known (time_reference.c, or the board's). */
struct time_reference {
    const char *name;
    u64 hz;
    u64 mask;
    u64 (*read)(void);
};
const struct time_reference *time_reference(void);
void time_init(void);
/* APIC timer counts per TSC tick, 32.32 fixed point: found by time_init(). */
extern u64 apic_per_tick;
void time_init_cpu(void);
void fpu_init_cpu(void);
void smp_start(void);

/* Continue in fn(arg) on another stack (traps.S). */
__noreturn void call_on_stack(void (*fn)(unsigned), unsigned arg, void *top);

/* Called by long_mode.S: cpu 0, and every core that smp_start() woke. */
__noreturn void arch_main(void);
__noreturn void smp_ap_main(void);

#endif
