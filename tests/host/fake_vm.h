/* SPDX-License-Identifier: MIT */
/*
 * fake_vm.h - what a virtual device stands on, for tests on the host: a VM with
 * some RAM, a dispatcher, interrupt lines that remember, timers that fire when the
 * test moves the time, a console that keeps what it got.
 */
#ifndef AMALGAM_FAKE_VM_H
#define AMALGAM_FAKE_VM_H

#include <vm/system_part.h>
#include <core/timer.h>
#include <vm/vdev.h>

#include "../../kernel/include/vm/devices.h"

#define FAKE_RAM (1u << 20)
#define FAKE_VMS 4

struct fake_range {
    bool mmio;
    u64 base;
    u32 size, first;
    struct vdev *dev;
};

struct vm {
    struct vm_devs devs;
    struct pc_parts parts;
    struct guest_memory mem;
    struct fake_range range[24];
    unsigned n_ranges;
    bool line[64];
    unsigned rises[64];
    char console[8192];
    size_t console_n;
    unsigned console_calls;
    unsigned power_offs, resets, extints;
    const char *reset_why;
    struct {
        u32 dest;
        u8 vector, mode;
        bool logical, level;
    } message; /* the last one */
    unsigned messages;
};

extern struct vm fake_vms[FAKE_VMS];
extern u64 fake_wall_clock;        /* ns at host_now == 0 */
extern unsigned fake_busy;         /* how many offers to the console it does not take */
extern unsigned fake_line_cost;    /* instructions that a line which rises takes: its message to vCPUs */
extern unsigned fake_console_cost; /* the same of what the console takes */
extern int fake_entropy;           /* what hal_entropy() returns */
extern unsigned fake_timers_armed; /* timer_arm() calls so far */

/* Forget everything; one VM per fake_vms entry with FAKE_RAM bytes of RAM at 0 (and as much at 4 GiB). */
void fake_init(void);
/* Guest accesses, repeated while the device says `again`; unclaimed ones read as ones. */
u64 fake_in(struct vm *vm, u16 port, unsigned size);
void fake_out(struct vm *vm, u16 port, unsigned size, u64 value);
u64 fake_load(struct vm *vm, u64 gpa, unsigned size);
void fake_store(struct vm *vm, u64 gpa, unsigned size, u64 value);
/* How often the last store was repeated, and may be at most. */
extern unsigned fake_repeats, fake_repeat_limit;
/* Called while the device writes to its console or asks for entropy: another vCPU that changes memory meanwhile. */
extern void (*fake_meanwhile)(void);
extern unsigned fake_fired; /* timers that went off so far */
void fake_reset_devices(struct vm *vm);
/* The guest does not come to run: nobody resumes a PIT that waits for it; input that it does not take is counted. */
extern bool fake_asleep;
extern unsigned fake_inputs;
/* Let ns pass, firing timers at their times. */
void fake_advance(u64 ns);
/* Timers that are armed now. */
unsigned fake_timers(void);
void fake_payload(void *data, u64 size);

#endif
