/* SPDX-License-Identifier: MIT */
/*
 * module.h - the parts of the module, and what they ask of each other.
 *
 *   main.c     the device and its calls; the one lock; the words of a refusal
 *   gate.c     may this machine be attached beneath at all?
 *   load.c     memory for the kernel, its image, its start (with attach.c and trampoline.S the crossing itself)
 *   attach.c   all CPUs in, all CPUs out, or one CPU of them
 *   hotplug.c  CPUs that come and go meanwhile, and those that are given to the kernel
 *   memory.c   memory that is given
 *   record.c   memory blocks that the command set offline
 *   power.c    restart and suspend
 *   stream.c   the bytes between programs and the kernel
 *   split.c    the memory between guests' drivers and programs
 *
 * Two locks order everything: amalgam.lock is held by each call and notifier that changes the state; inside it
 * cpus_read_lock() is held where `state` changes to or from attached. CPU hotplug holds the latter for writing and so
 * may look at `state` without the former, which it must never take. Nor must who maps (split.c): a call may be waiting
 * for the memory of the process that it serves. stream.c and split.c have locks of their own, inside these.
 */
#ifndef AMALGAM_MODULE_H
#define AMALGAM_MODULE_H

#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <asm/asm.h>

#include "attach.h"
#include "uapi.h"

struct amalgam {
    struct mutex lock;
    u32 state; /* enum amalgam_state */
    u64 attaches, detaches;
    u64 region;                   /* bytes that load took */
    struct attach_shared *shared; /* NULL: nothing is loaded */
    size_t shared_size;           /* of that and the split drivers' area behind it */
    char why[160];                /* of the call that goes on */
    const void *client;           /* and the open file that made it; only compared */
};

extern struct amalgam amalgam;

/* main.c: note in words what stands in the way, for AMALGAM_WHY; gives back `error`. amalgam.lock is held. */
__printf(2, 3) int why(int error, const char *format, ...);
/* Fault injection: each place that may lack memory asks; true at the place that the parameter `fail_at` names. */
bool fail_here(void);

/* gate.c: 0, or why not. Any context that may sleep. */
int gate_check(void);

/* load.c; the page that a CPU crosses with, NULL: the kernel was not told of this one */
struct attach_cpu *cpu_page(unsigned int cpu);
int kernel_load(const struct amalgam_load *args);
/* Is what is loaded made of this image, with as much memory? 1 or 0, or an error. */
int kernel_is(const struct amalgam_load *args);
void kernel_unload(void);

/* attach.c: all or none. */
int attach_all(struct amalgam_switched *took);
int detach_all(struct amalgam_switched *took);
/* The CPU that calls, which cannot migrate; while all others are attached. */
int attach_this_cpu(void);
int detach_this_cpu(void);
/* Some CPU but this one takes the kernel's doorbell from now on; it goes down. */
void bell_leave(unsigned int cpu);

/* trampoline.S: interrupts off. What the kernel answered, 0 or an error. */
extern char amalgam_trampoline[], amalgam_trampoline_end[], amalgam_resume[], amalgam_back[];
asmlinkage long amalgam_enter(struct attach_cpu *page);
asmlinkage long amalgam_leave(void);

/* hotplug.c */
int hotplug_start(void);
void hotplug_stop(void);
int cpu_give(struct amalgam_cpu *args);
int cpu_take(struct amalgam_cpu *args);
int cpu_state(struct amalgam_cpu *args);
/* Before anything is given, and afterwards: no CPU is bare then, and the kernel looks at what Linux sends to CPUs. The
 * second does nothing as long as something is given. */
int guard_begin(void);
void guard_end(void);
/* Every CPU forgets nested translations. */
void flush_all(void);

/* memory.c */
int memory_start(void);
void memory_stop(void);
int memory_give(const struct amalgam_range *range);
int memory_take(const struct amalgam_range *range);
int memory_write(const struct amalgam_write *args);
/* Is this range whole granules of RAM, and not given? 0, or an error with its words. amalgam.lock is held. */
int memory_check(u64 base, u64 size, u64 granule);
bool memory_is_ram(u64 base, u64 size);
/* Is some of it given? Any context that may take a spinlock. */
bool memory_is_given(u64 base, u64 size);

/* record.c. `owner` names the open file of a claim. */
int record_claim(const struct amalgam_range *range, const void *owner);
void record_release(const void *owner);
/* A block went offline, or came online: the memory notifier says so, in the process that did it. */
void record_offline(u64 base, u64 size);
void record_online(u64 base, u64 size);
/* Entry held->index of all that is held; -ENOENT behind the last one. amalgam.lock is held. */
int record_get(struct amalgam_held *held);
void record_stop(void);
/* Entry *skip of what is given, into `held`. Returns false, and *skip less the number of entries, if there is none. */
bool hotplug_given(u32 *skip, struct amalgam_held *held);
bool memory_given(u32 *skip, struct amalgam_held *held);

/* power.c */
int power_start(void);
void power_stop(void);
/* What ACPI says of the registers by which this machine sleeps and resets; 0, or why not. May sleep. */
int power_describe(struct attach_power *power);

/* stream.c: from load to unload `shared` is there. */
int stream_start(void);
void stream_stop(void);
void stream_connect(struct attach_shared *shared);
void stream_disconnect(void);
struct reader;
struct reader *reader_new(void);
void reader_free(struct reader *reader);
ssize_t reader_read(struct reader *reader, char __user *to, size_t count, bool wait);
ssize_t reader_write(struct reader *reader, const char __user *from, size_t count, bool wait);
__poll_t reader_poll(struct reader *reader, struct file *file, poll_table *table);
int reader_seek(struct reader *reader, bool oldest);

/* split.c: the area lies behind struct attach_shared, on a page of its own. */
int split_start(void);
void split_stop(void);
void split_connect(void);    /* amalgam.shared is there */
bool split_disconnect(void); /* it will be gone; false: not yet, somebody has it mapped */
void split_bell(void);       /* the kernel rang; any context but NMI */

/* A call to the kernel beneath this CPU; -ENXIO if there is none. */
static inline s64 kernel_call(u64 number, u64 a, u64 b)
{
    s64 result;

    asm volatile("1: vmmcall\n"
                 "   jmp 3f\n"
                 "2: mov %[none], %%rax\n"
                 "3:\n" _ASM_EXTABLE(1b, 2b)
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), [none] "i"(-ENXIO)
                 : "memory");
    return result;
}

#endif
