/* SPDX-License-Identifier: MIT */
/*
 * vm/vm.h - a virtual machine: memory, virtual CPUs, register ranges, and the contract between what every virtual
 * machine has (kernel/vm) and what one ISA's machine adds (kernel/vm/pc): the machine_*() functions.
 *
 * A vCPU is a thread on one core. Other threads use only its request bits (atomic) and vcpu_kick(). The rest of its
 * state is its own thread's.
 */
#ifndef AMALGAM_VM_VM_H
#define AMALGAM_VM_VM_H

#include <arch/vcpu.h>
#include <core/domain.h>
#include <core/thread.h>
#include <vm/guest_memory.h>
#include <vm/system_part.h>
#include <vm/vdev.h>

#define IO_RANGES 32

struct io_range {
    u64 base;
    u32 size;
    u32 first; /* offset of its first register in the device */
    struct vdev *dev;
};

struct io_map {
    unsigned n;
    unsigned last; /* range of the last access; only a hint */
    struct io_range range[IO_RANGES];
};

struct vm;

/* The build says how large the record is where that of two back ends is to be one (kernel/twins.mk). */
#ifndef VCPU_RECORD
#define VCPU_RECORD 1
#endif
_Static_assert(VCPU_RECORD == 1 || sizeof(struct hal_vcpu) <= VCPU_RECORD, "vm/files.mk");

struct vcpu {
    union { /* must be first: the fast path gets this pointer */
        struct hal_vcpu hal;
        u8 record[VCPU_RECORD];
    };
    struct vm *vm;
    struct thread *thread; /* NULL: it was not started */
    unsigned id;
    u8 core;
    u32 requests;  /* atomic; VCPU_* below, bits from 8 on are the machine's */
    bool in_guest; /* it runs the guest or is about to: only an interrupt to its core makes it leave */
    bool halted;   /* its thread sleeps or is about to */
    bool alive;    /* it ran or idled since the watchdog last checked */
    u64 halts, kicks;
};

/* What a vCPU must do before it enters the guest again: set by vcpu_request(), cleared by its thread. */
enum { VCPU_STOP = 1, VCPU_END = 2, VCPU_FLUSH = 4, VCPU_MACHINE = ~0xff };

/* A machine may keep more behind this record, in the page that holds it, which is cleared. */
struct vm {
    struct domain *domain;
    const struct sys_domain *conf;
    struct guest_memory memory;
    struct stage2 stage2;
    unsigned n_vcpus;
    bool stop; /* all vCPU threads are to leave */
    u8 end;    /* enum domain_end that a device asked for; vCPU 0 ends the domain, outside the device's lock */
    const char *end_why;
    struct vm_devs devs;
    struct vcpu *vcpu[SYS_MAX_VCPUS];
    ticks_t started; /* the guest's clock counts from here */
    struct timer watchdog;
    struct io_map pio, mmio;
};

/* --- vm.c ------------------------------------------------------------------------------ */
struct vm *vm_of(struct domain *d);
/* Allocate `size` bytes at `gpa`, in as few pieces as possible. Returns 0, -ENOMEM, or the error of stage2_map(); the
 * VM keeps what it got. Only when a domain is created. */
int vm_add_memory(struct vm *vm, gpa_t gpa, u64 size);
/*
 * After the last run: join its threads, reset its devices, and make sure that none of its timers still runs. Only
 * timers can act once the threads have ended, on any core. Reset devices and a stopped vCPU arm none. Each round
 * cancels all timers and waits for those that run; the second round cancels what a running timer has armed before the
 * reset. All threads have left. Thread context.
 */
void vm_quiesce(struct vm *vm);

/* --- here.c, here_all.c ------------------------------------------------------------------- */
/* Returns whether this kernel runs the guest. Else only other kernels of the board do, which have the same system: its
 * operations become those of a domain that stops at once. When a domain is created. */
bool vm_is_here(struct domain *d);

/* --- vm_destroy.c ------------------------------------------------------------------------- */
/* domain_ops.destroy */
void vm_destroy(struct domain *d) __optional;

/* --- run.c ------------------------------------------------------------------------------ */
void vcpu_thread(void *vcpu); /* body of a vCPU's thread */
/* Make `v` handle its requests and interrupts soon. Any context. */
void vcpu_kick(struct vcpu *v);
/* Set a request and kick the vCPU. Any context. */
void vcpu_request(struct vcpu *v, u32 request);
/* Clear a request. Returns whether it was set. By the vCPU's own thread only. */
static inline bool vcpu_take_request(struct vcpu *v, u32 bit)
{
    if (!(READ_ONCE(v->requests) & bit))
        return false;
    __atomic_fetch_and(&v->requests, ~bit, __ATOMIC_SEQ_CST);
    return true;
}
/* End the domain with a fault: the guest cannot go on. `why` goes into the domain's reason, the registers into the
 * log. */
void vcpu_fault(struct vcpu *v, const char *why);

/* --- stats.c ---------------------------------------------------------------------------- */
/* Print the counters of a vCPU, with its number. */
void vcpu_stats(const struct vcpu *v, unsigned id);

/* --- io.c ------------------------------------------------------------------------------- */
/*
 * Make one access of a guest to ports or device registers. *value is written, or becomes the value read: all ones where
 * no device is. size is 1, 2, 4 or 8. Returns false if the device wants a write repeated (vdev.h): do not step over the
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
/* Make call `nr` (without API_BASE; kernel/api/calls.yaml). Returns the result for the guest. */
s64 vm_hypercall(struct vcpu *v, u32 nr, const u64 arg[4]);

/* --- the machine model of the ISA (vm/pc/) ------------------------------------------------- */
/* Give the VM `size` bytes of RAM at the addresses where this machine has RAM (vm_add_memory). Returns 0 or -errno.
 * Only when a domain is created. */
int machine_memory(struct vm *vm, u64 size);
/* Return the address (1 MiB each) and the interrupt line of channel n of the system in this machine's guests. */
gpa_t machine_channel_at(unsigned n);
unsigned machine_channel_line(unsigned n);
/* Begin the machine's part of a vCPU's record. Both have a page, which is cleared but for `vm`, `id` and `core`. */
void machine_vcpu_init(struct vcpu *v);
/* Create the devices and interrupt controllers. Returns 0 or -errno. */
int machine_create(struct vm *vm);
/* Free what machine_create() has allocated, even in part. Devices and timers are quiet (vm_quiesce). */
void machine_destroy(struct vm *vm);
/* Cancel the machine's timers; none is armed again. No vCPU runs. */
void machine_cancel_timers(struct vm *vm);
/* Bring everything to its power-on state and load the images; vCPU 0 is ready to enter them. On failure *why becomes
 * a text. */
int machine_start(struct vm *vm, const char **why);
/* Called first by the vCPU's thread: prepare the core that it runs on. */
void machine_thread_begin(struct vcpu *v);
/* Take a byte of console input. Interrupt context. */
void machine_input(struct vm *vm, u8 byte);
/* Returns whether an interrupt could end the halt of this vCPU. Any context. */
bool machine_interruptible(const struct vcpu *v);
/* Handle the machine's requests (INIT, NMI, ...). Returns false if this vCPU must not run now. Interrupts must be
 * off. */
bool machine_handle_requests(struct vcpu *v);
/* Called just before vcpu_run: offer the guest its pending interrupts. Interrupts must be off. */
void machine_before_run(struct vcpu *v);
/* Called just after vcpu_run, interrupts still off: record which interrupts the hardware delivered. */
void machine_after_run(struct vcpu *v);
/* Returns whether machine_handle_requests() or machine_before_run() has something to do for a halted vCPU. Interrupts
 * on or off. */
bool machine_has_work(struct vcpu *v);
/* Handle the guest's hypercall and step over the instruction. */
void machine_hypercall(struct vcpu *v);
/* Handle an exit that run.c does not know. Returns false if the machine does not know it either. */
bool machine_exit(struct vcpu *v, const struct vcpu_exit *e);
/* Tell the guest that the vCPU sleeps or may lose its core, until the next machine_handle_requests(), which this
 * requests. */
void machine_suspended(struct vcpu *v);
void machine_dump(const struct vcpu *v);
/* Print the counters of the machine's devices. */
void machine_stats(struct vm *vm);

#endif
