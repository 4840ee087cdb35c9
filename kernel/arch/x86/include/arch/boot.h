/* SPDX-License-Identifier: MIT */
/* arch/boot.h (x86) - the steps of starting the machine, in the order of main.c. */
#ifndef AMALGAM_ARCH_BOOT_H
#define AMALGAM_ARCH_BOOT_H

#include <arch/acpi.h>
#include <arch/pte.h>
#include <boot_info.h>
#include <hal/memory.h>
#include <types.h>

/* Facts from the ACPI tables (machine.c). */
extern struct acpi_info machine;

/* Returns the global interrupt of an ISA interrupt. */
u32 machine_isa_gsi(unsigned irq);
void machine_discover(void);
/* Return a pointer to physical memory while the boot tables are in use, or NULL above 4 GiB. */
const void *boot_memory(paddr_t pa, u64 size);
/* Build the final page tables, with rights for each section. */
void paging_init(void);
/* Switch the calling core from the boot tables to the final ones (control registers, PAT). */
void paging_enable_cpu(void);
/* .init.text was freed (init_drop.c; init_keep.c never frees it). */
extern bool init_dropped;
int paging_map(u64 va, paddr_t pa, u64 size, u64 flags);
/* Create the tables right below the top-level one for addresses that are mapped after boot: processes have copies of
 * the top-level table (64/user/space.c). Boot. Returns 0 or -ENOMEM. */
int paging_reserve(u64 va, u64 size);
/* Return the page table entry of a page that is mapped singly: of the image (which is between 1 and 2 MiB), of a
 * stack. */
pte_t *paging_entry(const void *p);
/* Flush all translations of this core, also global ones (APM vol. 2, 5.5.2). */
void paging_flush(void);
/* Physical address of the top-level table. */
paddr_t paging_root(void);
/* A clock with a known rate (time_reference.c, or the board's). */
#define TIME_IS_COUNTER ~0ull
struct time_reference {
    const char *name;
    u64 hz;
    u64 mask; /* what it counts to; TIME_IS_COUNTER: it is the counter, whose rate is known and kept */
    u64 (*read)(void);
};
const struct time_reference *time_reference(void);
/* The one that time_measure() has used. */
extern const struct time_reference *time_measured_by;
void time_measure(void);
/* boot/rate.c: return what time_to_ns() would have been with the better rate, from when that is known. Any context. */
u64 time_corrected(u64 ns);
/* APIC timer counts per TSC tick, 32.32 fixed point; set by time_measure(). */
extern u64 apic_per_tick;
void time_init_cpu(void);
void fpu_init_cpu(void);
void smp_start(void);
/* seed.c, CONFIG_SEED: keep the bytes of `seed=`, 64 hexadecimal digits, of a command line, and clear them there. */
void seed_take_from_line(char *line);

/* Call fn(arg) on another stack (64/switch.S, 32/threads.S). */
__noreturn void call_on_stack(void (*fn)(unsigned), unsigned arg, void *top);

/* Called by long_mode.S: on cpu 0, and on each core that smp_start() has started. */
__noreturn void arch_main(void);
__noreturn void smp_ap_main(void);

#endif
