/* SPDX-License-Identifier: MIT */
/*
 * linux_cpu.h - a CPU of the Linux above: its VMCB, the page with which it enters and leaves, and a record for the time
 * that the kernel runs on it (GS, descriptor tables, stack). All of it is created at load; attach only copies
 * registers.
 */
#ifndef AMALGAM_ARCH_ATTACH_LINUX_CPU_H
#define AMALGAM_ARCH_ATTACH_LINUX_CPU_H

#include <types.h>

#include <api/attach.h>
#include <arch/vmcb.h>
#include <core/cpu.h>
#include <hal/attach.h>
#include <hal/context.h>
#include <hal/memory.h>

struct linux_cpu {
    struct attach_cpu
        *page; /* the page with which it enters and leaves; also its general registers while the kernel runs */
    struct vmcb *vmcb;
    u32 apic_id;
    u32 state;              /* enum attach_cpu_state */
    unsigned index, number; /* index in linux_cpus[]; number of its core while it is one */
    u64 resume;             /* address at which Linux continues as a guest */
    u64 exits;
    u64 flushed; /* the version of Linux's nested tables that this CPU has flushed for */
    void *stack, *core_stack;
    void *window; /* maps one page of Linux's memory at a time (attach/fetch.c) */
    u64 *window_entry;
    unsigned long linux_cr4; /* of the kernel on behalf of Linux, while this is a core */
    u64 clock;               /* CLOCK_ASKED, or core 0's time stamp counter (attach/core_clock.c) */
    u32 startup;             /* while parked: CORE_STARTUP and the vector of a start-up interrupt */
    bool stopped;            /* the core has stopped for good (cores_stop()) */
    struct cpu own;          /* record while it is Linux's */
    struct cpu core;         /* record while it is a core */
};

#define ATTACH_CPU_AT(field, offset)                                                                                   \
    _Static_assert(offsetof(struct attach_cpu, field) == (offset), "attach.h, for assembly")
ATTACH_CPU_AT(host_cr3, ATTACH_CPU_HOST_CR3);
ATTACH_CPU_AT(entry, ATTACH_CPU_ENTRY);
ATTACH_CPU_AT(vmcb_pa, ATTACH_CPU_VMCB_PA);
ATTACH_CPU_AT(leave, ATTACH_CPU_LEAVE);
ATTACH_CPU_AT(efer, ATTACH_CPU_EFER);
ATTACH_CPU_AT(cr4, ATTACH_CPU_CR4);
ATTACH_CPU_AT(pat, ATTACH_CPU_PAT);
ATTACH_CPU_AT(rip, ATTACH_CPU_RIP);
ATTACH_CPU_AT(es, ATTACH_CPU_SEGMENTS);
ATTACH_CPU_AT(gdtr, ATTACH_CPU_GDTR);
ATTACH_CPU_AT(host_idtr, ATTACH_CPU_HOST_IDTR);
ATTACH_CPU_AT(host_vmcb, ATTACH_CPU_HOST_VMCB);
ATTACH_CPU_AT(regs, ATTACH_CPU_REGS);
ATTACH_CPU_AT(linux_self, ATTACH_CPU_LINUX_SELF);

extern struct linux_cpu *linux_cpus[ATTACH_MAX_CPUS];
extern unsigned n_linux_cpus;

/* Returns whether the CPU runs Linux above this kernel. */
static inline bool linux_cpu_runs(const struct linux_cpu *l)
{
    u32 state = READ_ONCE(l->state);
    return state == ATTACH_CPU_LINUX || state == ATTACH_CPU_DYING;
}

/* Linux's nested tables: an identity map but for hidden ranges. attach/npt.c */
extern struct stage2 linux_space;
int linux_space_init(void);
/* Returns whether the processor checks who owns a page of memory (SEV-SNP; APM vol. 2, 15.36): it then refuses pages
 * that Linux has assigned. */
bool memory_has_owners(void);
/* While something is given, if the processor has IBPB: an exit begins with it, because Linux may have trained branches
 * for the kernel's code, whose tables map what is given. */
extern bool linux_barrier;
/* attach/maps.c: set the permission maps in a VMCB. At load. */
void linux_maps(struct vmcb *b);
/* Make writes to this MSR exit. At load. */
void linux_trap_msr(u32 msr);
/* The parts of linux_guard() for an MSR / for ports by which the machine sleeps or resets. */
void linux_trap_icr(bool on);
void linux_trap_ports(bool on);
/* Make accesses to this port exit on CPUs that are going offline / set whether a CPU is going offline. */
void linux_trap_idle_port(u16 port);
void linux_trap_idle(struct linux_cpu *l, bool on);
/* Returns whether Linux can read and write this address. */
bool linux_sees(paddr_t pa);

/* Called once at load by the module (attach/init.c). */
void attach_init(struct attach_cpu *p);
/* Create records, VMCB and tables of one of Linux's CPUs, with index n_linux_cpus. Returns 0 or -ENOMEM. */
int linux_cpu_create(u32 apic_id, const struct attach_boot *boot);
/* The memory that it takes: the record, ten pages (two sets of exception stacks among them) and two stacks. The module
 * provides it for each CPU, because a missing page of an exception stack is a panic. */
#define LINUX_CPU_MEMORY (ALIGN_UP(sizeof(struct linux_cpu), PAGE_SIZE) + 10 * PAGE_SIZE + 2 * HAL_STACK_SIZE)
/* Returns the record of the calling CPU, which is in the kernel on behalf of Linux. */
static inline struct linux_cpu *this_linux_cpu(void) { return container_of(this_cpu_here(), struct linux_cpu, own); }

/* Called by attach/entry.S: copy Linux's state from the page into the VMCB. */
void attach_begin(struct attach_cpu *p);
/* Called by attach/entry.S after #VMEXIT with GIF clear. Returns true if the CPU leaves by its page, false if Linux
 * continues. */
bool attach_exit(void);
/* Copy Linux's state from the VMCB into the page, to leave by it. */
void attach_end(struct linux_cpu *l);
/* Run Linux by its VMCB, for the first time since this CPU was a core; GIF is clear. */
__noreturn void attach_run(struct attach_cpu *p);
/* Return to Linux by the trampoline. */
__noreturn void attach_leave(struct attach_cpu *p);

/* Count an access that was refused to Linux, and log it from time to time. attach/refuse.c */
void attach_refuse(struct linux_cpu *l, const char *what, u64 at);

#define CORE_STARTUP 0x100u

/* attach/sx.S: entry of #SX and of interrupts with its vector; and its stack in a core's TSS. The kernel on one of
 * Linux's CPUs is not interrupted. */
extern const char attach_sx[];
#define SX_STACK 4

/* attach/core_stop.c: clear this core's extended state, because an INIT would keep it (APM vol. 2, 14.1.3). */
void core_clear_extended_state(void);
/* Returns whether all cores are to stop for good / stop the calling core. Any context on a core. */
bool cores_ending(void);
__noreturn void core_stop_here(void);
/* attach/core_reset.c: record at load what firmware has set on all CPUs / reset on the calling CPU, which becomes a
 * core, what Linux may have set and what would last. The kernel's descriptor tables are loaded. */
void core_reset_init(void);
void core_reset(void);
/* Overwrite the stacks of a core that has left and runs on another one, because a detached Linux can read them. */
void core_clean(struct linux_cpu *l);
/* attach/core_clock.c: set the calling CPU's time stamp counter to that of core 0, which is `first` (NULL: there is
 * none), if they differ. Before core_join(), interrupts off / core 0 has VEC_SPLIT: answer those that ask. */
#define CLOCK_ASKED 1ul
void core_clock_compare(struct linux_cpu *l, const struct cpu *first);
void core_clock_answer(void);
/* attach/core.c: Linux has halted the CPU for good: make it a core. */
__noreturn void core_take(struct linux_cpu *l);

#endif
