/* SPDX-License-Identifier: MIT */
/*
 * linux_cpu.h - a CPU of the Linux above us: its control block, its page to cross with, and a record of our
 * own for the moments that the kernel runs on it (GS, descriptor tables, stack).  All of it is made at load; attach
 * only copies registers.
 */
#ifndef AMALGAM_ARCH_ATTACH_LINUX_CPU_H
#define AMALGAM_ARCH_ATTACH_LINUX_CPU_H

#include <types.h>

#include <api/attach.h>
#include <arch/vmcb.h>
#include <core/cpu.h>
#include <hal/attach.h>
#include <hal/memory.h>

struct linux_cpu {
    struct attach_cpu *page; /* what it crosses with, and its general registers while the kernel has it */
    struct vmcb *vmcb;
    u32 apic_id;
    u32 state;              /* enum attach_cpu_state */
    unsigned index, number; /* in linux_cpus[]; of its core while it is one */
    u64 resume;             /* where Linux goes on as a guest */
    u64 exits;
    u64 flushed; /* the last change of Linux's nested tables that this CPU has seen */
    void *stack, *core_stack;
    void *window; /* one page of Linux's memory at a time (attach/fetch.c), */
    u64 *window_entry;
    u32 startup;     /* while parked: CORE_STARTUP and the vector of the start-up interrupt that came */
    bool stopped;    /* the core has, for good (cores_stop()) */
    struct cpu own;  /* while it is Linux's, and */
    struct cpu core; /* while it is ours */
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

/* Linux runs there, above us. */
static inline bool linux_cpu_runs(const struct linux_cpu *l)
{
    u32 state = READ_ONCE(l->state);
    return state == ATTACH_CPU_LINUX || state == ATTACH_CPU_DYING;
}

/* Linux's nested tables: everything is where it is, but for what is hidden. attach/npt.c */
extern struct stage2 linux_space;
int linux_space_init(void);
/* attach/maps.c: permission maps into a control block, at load; */
void linux_maps(struct vmcb *b);
/* have writes to this MSR exit, at load; */
void linux_trap_msr(u32 msr);
/* the part of linux_guard() that is an MSR, / and those that are ports: by which the machine sleeps or starts again. */
void linux_trap_icr(bool on);
void linux_trap_ports(bool on);
/* On CPUs that go down, accesses to this port exit from now on; which CPUs that are. */
void linux_trap_idle_port(u16 port);
void linux_trap_idle(struct linux_cpu *l, bool on);
/* Linux can read and write there. */
bool linux_sees(paddr_t pa);

/* Once, at load, by the module's call (attach/init.c). */
void attach_init(struct attach_cpu *p);
/* Records, control block and tables of one of Linux's CPUs; its index is n_linux_cpus. -ENOMEM. */
int linux_cpu_create(u32 apic_id, const struct attach_boot *boot);
/* The calling CPU's, in the kernel for Linux's sake. */
static inline struct linux_cpu *this_linux_cpu(void) { return container_of(this_cpu_here(), struct linux_cpu, own); }

/* What attach/entry.S calls: Linux's state from the page into the control block; */
void attach_begin(struct attach_cpu *p);
/* after #VMEXIT, GIF clear: true when the CPU leaves us, by its page, false when Linux goes on. */
bool attach_exit(void);
/* Linux's state from the control block into the page, to leave by. */
void attach_end(struct linux_cpu *l);
/* Run Linux as its control block says, for the first time since this was a core; GIF is clear. */
__noreturn void attach_run(struct attach_cpu *p);
/* Go back by the trampoline. */
__noreturn void attach_leave(struct attach_cpu *p);

/* Count what Linux tried and must not, and say it now and then. attach/refuse.c */
void attach_refuse(struct linux_cpu *l, const char *what, u64 at);

#define CORE_STARTUP 0x100u

/* attach/core_stop.c: this core's extended state is blank from now on: an INIT would keep it (APM vol. 2, 14.1.3). */
void core_forget_extended_state(void);
/* All cores are to stop for good, and the calling one does. Any context on a core. */
bool cores_ending(void);
__noreturn void core_stop_here(void);
/* attach/core.c: it is halted for good: be that core. */
__noreturn void core_take(struct linux_cpu *l);

#endif
