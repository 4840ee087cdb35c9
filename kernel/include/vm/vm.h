/* SPDX-License-Identifier: MIT */
/*
 * vm/vm.h - a virtual machine: memory, virtual CPUs, register ranges, and the seam
 * between what every virtual machine has (kernel/vm) and what one ISA's machine
 * adds (kernel/vm/pc), which is the machine_*() functions.
 *
 * A vCPU is a thread bound to its core.  Others talk to it through atomic request
 * bits and vcpu_kick(); only the thread itself touches the rest of its state.
 */
#ifndef AMALGAM_VM_VM_H
#define AMALGAM_VM_VM_H

#include <arch/vcpu.h>
#include <core/domain.h>
#include <core/thread.h>
#include <vm/guest_memory.h>
#include <vm/vdev.h>

#define IO_RANGES 32

struct io_range {
    u64 base;
    u32 size;
    u32 first; /* of the device's registers */
    struct vdev *dev;
};

struct io_map {
    unsigned n;
    unsigned last; /* hit by the latest access; only a hint */
    struct io_range range[IO_RANGES];
};

struct vm;

struct vcpu {
    struct hal_vcpu hal; /* first: the fast path gets this pointer */
    struct vm *vm;
    struct thread *thread; /* NULL: not started */
    unsigned id;
    u8 core;
    u32 requests;  /* atomic; VCPU_* below, from bit 8 on the machine's own */
    bool in_guest; /* its core would notice an interrupt only by leaving the guest */
    bool halted;   /* its thread sleeps or is about to */
    bool alive;    /* gave a sign of life since the watchdog last looked */
    u64 halts, kicks;
};

/* What others ask of a vCPU before it enters the guest again: set by vcpu_request(), taken by its thread. */
enum { VCPU_STOP = 1, VCPU_END = 2, VCPU_FLUSH = 4, VCPU_MACHINE = ~0xff };

/* A machine may keep more behind it: the page that holds it is cleared and all of it. */
struct vm {
    struct domain *domain;
    const struct sys_domain *conf;
    struct guest_memory memory;
    struct stage2 stage2;
    unsigned n_vcpus;
    bool stop; /* every vCPU thread leaves */
    u8 end;    /* enum domain_end that a device asked for; settled by vCPU 0, outside the device's lock */
    const char *end_why;
    struct vm_devs devs;
    struct vcpu *vcpu[SYS_MAX_VCPUS];
    ticks_t started; /* the guest's clock counts from here */
    struct timer watchdog;
    struct io_map pio, mmio;
};

/* --- vm.c ------------------------------------------------------------------------------ */
struct vm *vm_of(struct domain *d);
/* Memory for `size` bytes at `gpa`, in as few pieces as there are: -ENOMEM, or what stage2_map() says; what it got is
 * the VM's all the same. Domain creation. */
int vm_add_memory(struct vm *vm, gpa_t gpa, u64 size);
/*
 * The life behind it is over: its threads are joined, its devices reset, none of its timers acts any more. What may
 * still come once the threads have ended is a timer, on any core. Reset devices and a stopped vCPU arm none again: a
 * round cancels them all and waits for those that fire; what such a one armed before the reset came to it is cancelled
 * by the second round. Thread context, the last thread has left.
 */
void vm_settle(struct vm *vm);

/* --- vm_destroy.c ------------------------------------------------------------------------- */
/* domain_ops.destroy */
void vm_destroy(struct domain *d) __optional;

/* --- run.c ------------------------------------------------------------------------------ */
void vcpu_thread(void *vcpu); /* the body of a vCPU's thread */
/* Make `v` look at its requests and interrupts soon. Any context. */
void vcpu_kick(struct vcpu *v);
/* Set a request and kick. Any context. */
void vcpu_request(struct vcpu *v, u32 request);
/* Take one back if it is there. By its thread: nobody else takes any. */
static inline bool vcpu_take_request(struct vcpu *v, u32 bit)
{
    if (!(READ_ONCE(v->requests) & bit))
        return false;
    __atomic_fetch_and(&v->requests, ~bit, __ATOMIC_SEQ_CST);
    return true;
}
/* The guest cannot go on; `why` and where it stood go into the domain's reason. */
void vcpu_fault(struct vcpu *v, const char *why);

/* --- io.c ------------------------------------------------------------------------------- */
/*
 * One access to the ports or device registers of a VM; *value is what is written, or becomes what was read: all ones
 * where nobody claims. size 1, 2, 4, 8. False: the device wants a write repeated (vdev.h), do not step over the
 * instruction. Thread context, interrupts on.
 */
bool io_access(struct io_map *map, u64 addr, unsigned size, bool write, u64 *value);
static inline u64 io_read(struct vm *vm, struct io_map *map, u64 addr, unsigned size)
{
    u64 value = 0;
    io_access(map, addr, size, false, &value);
    return value;
}
static inline bool io_write(struct vm *vm, struct io_map *map, u64 addr, unsigned size, u64 value)
{
    return io_access(map, addr, size, true, &value);
}

/* --- hypercall.c ------------------------------------------------------------------------- */
/* Call `nr` (without API_BASE; kernel/api/calls.yaml) with its arguments; the result for the guest. */
s64 vm_hypercall(struct vcpu *v, u32 nr, const u64 arg[4]);

/* --- the machine model of the ISA (vm/pc/) ------------------------------------------------- */
/* Give the VM `size` bytes of memory where this machine has RAM (vm_add_memory). 0 or -errno. Domain creation. */
int machine_memory(struct vm *vm, u64 size);
/* Where this machine's guests see channel n of the system, a MiB each, and the line that rings for it. */
gpa_t machine_channel_at(unsigned n);
unsigned machine_channel_line(unsigned n);
/* A vCPU with everything that the machine keeps beside it, cleared but for its `vm` and `id`. NULL: no memory. */
struct vcpu *machine_vcpu_create(struct vm *vm, unsigned index);
/* Devices and interrupt controllers. 0 or -errno. */
int machine_create(struct vm *vm);
/* What machine_create() and the vCPUs allocated, as far as it came; devices and timers are quiet (machine_quiet). */
void machine_destroy(struct vm *vm);
/* No timer of the machine is armed by what comes after this. No vCPU runs. */
void machine_quiet(struct vm *vm);
/* Power-on state of everything, images loaded, vCPU 0 ready to enter them. *why: text for a failure. */
int machine_start(struct vm *vm, const char **why);
/* The vCPU's thread begins: what belongs to the core that it runs on. */
void machine_begin(struct vcpu *v);
/* Console input. Interrupt context. */
void machine_input(struct vm *vm, u8 byte);
/* Could an interrupt end the halt of this vCPU? Any context. */
bool machine_hears(const struct vcpu *v);
/* Settle the machine's requests (INIT, NMI, ...). Interrupts off. False: this vCPU must not run now. */
bool machine_attend(struct vcpu *v);
/* Last before vcpu_run, interrupts off: offer the guest what is due. */
void machine_enter(struct vcpu *v);
/* After vcpu_run, interrupts still off: book what the hardware did. */
void machine_left(struct vcpu *v);
/* Would machine_attend() or machine_enter() find something to do for a halted vCPU? Any state of interrupts. */
bool machine_awake(struct vcpu *v);
/* The guest called: do it, step over the instruction. */
void machine_hypercall(struct vcpu *v);
/* Settle an exit that run.c does not know; false: it cannot be. */
bool machine_exit(struct vcpu *v, const struct vcpu_exit *e);
/* The vCPU sleeps or may lose its core until the next machine_attend(), which it asks for: what the guest is told about
 * it. */
void machine_away(struct vcpu *v);
void machine_dump(const struct vcpu *v);

#endif
