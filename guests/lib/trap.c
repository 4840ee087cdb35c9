/* SPDX-License-Identifier: MIT */
/*
 * trap.c - descriptor table, dispatch, and the report of unexpected exceptions.
 *
 * Exceptions switch to a stack of their own (IST 1), because the body of guarded() may have changed RSP; interrupts use
 * the current stack.
 */
#include <guest.h>

struct gate {
    uint16_t offset0, selector;
    uint8_t ist, type;
    uint16_t offset1;
    uint32_t offset2, reserved;
};
_Static_assert(sizeof(struct gate) == 16, "APM vol. 2, 4.8.4");

static struct gate idt[256];
static trap_handler handlers[256];
static uint8_t tss[MAX_CPUS][104];
static uint8_t exception_stack[MAX_CPUS][8192] __attribute__((aligned(16)));
static uint64_t gdt[4 + 2 * MAX_CPUS] = { 0, 0x00af9b000000ffff, 0x00cf93000000ffff, 0x00cf9b000000ffff };
extern const uint8_t trap_entries[], guarded_unwind[];
extern uint64_t guarded_stack;
uint64_t guarded_faults;

struct __attribute__((packed)) pointer {
    uint16_t limit;
    uint64_t base;
};

static void load_tss(unsigned cpu)
{
    uint64_t base = (uintptr_t)tss[cpu], stack = (uintptr_t)exception_stack[cpu] + sizeof(exception_stack[cpu]);
    memcpy(tss[cpu] + 0x24, &stack, 8); /* IST 1, APM vol. 2 figure 12-8 */
    gdt[4 + 2 * cpu] = (sizeof(tss[cpu]) - 1) | (base & 0xffffff) << 16 | 0x89ull << 40 | (base >> 24 & 0xff) << 56;
    gdt[5 + 2 * cpu] = base >> 32;
    struct pointer p = { sizeof(gdt) - 1, (uintptr_t)gdt };
    __asm__ volatile("lgdt %0; ltr %w1" : : "m"(p), "r"(0x20 + 16 * cpu));
}

/* Called once on each CPU, first on CPU 0. */
void trap_load(unsigned cpu)
{
    for (unsigned v = 0; cpu == 0 && v < 256; v++) {
        uint64_t entry = (uintptr_t)trap_entries + 16 * v;
        idt[v] = (struct gate){
            .offset0 = entry, .selector = 8, .ist = v < 32, .type = 0x8e, .offset1 = entry >> 16, .offset2 = entry >> 32
        };
    }
    load_tss(cpu);
    struct pointer p = { sizeof(idt) - 1, (uintptr_t)idt };
    __asm__ volatile("lidt %0" : : "m"(p));
}

void trap_install(unsigned vector, trap_handler handler) { handlers[vector & 255] = handler; }

/* Called by trap.S. */
void trap_c(struct trap_frame *f)
{
    if (handlers[f->vector]) {
        handlers[f->vector](f);
    } else if (f->vector < 32 && guarded_stack) {
        guarded_faults++;
        f->rip = (uintptr_t)guarded_unwind;
        f->rax = f->vector + 1;
        f->cs = 8;
        f->ss = 0;
        f->rsp = guarded_stack;
        f->rflags = 2;
    } else if (f->vector < 32) {
        print("guest: exception %lu error=%lx rip=%lx rsp=%lx rflags=%lx cr2=%lx rax=%lx rcx=%lx rdx=%lx\n", f->vector,
              f->error, f->rip, f->rsp, f->rflags, read_cr2(), f->rax, f->rcx, f->rdx);
        power_off();
    }
    /* An interrupt without a handler must be spurious, because legacy ones are masked: ignore it. */
}
