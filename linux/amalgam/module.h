/* SPDX-License-Identifier: MIT */
/*
 * module.h - the parts of the module, and the functions that they offer each other.
 *
 *   main.c     the device and its calls; amalgam.lock; the text of a refusal
 *   gate.c     checks whether the kernel can be attached on this machine
 *   load.c     allocates the kernel's memory, copies its image and starts it
 *   attach.c   switches all CPUs, or one CPU, into guest mode and back
 *   hotplug.c  CPUs that go offline or come online while attached, and CPUs that are given to the kernel
 *   memory.c   memory that is given
 *   record.c   memory blocks that the command set offline
 *   power.c    restart and suspend
 *   bell.c     the kernel's doorbell
 *   stream.c   the byte stream between programs and the kernel; kept.c has what it keeps
 *   split.c    the memory that guests' drivers share with programs
 *
 * trampoline.S holds the code that both Linux and the kernel execute at the same address.
 *
 * Locks. Each call and each notifier that changes the state holds amalgam.lock. Where `state` changes to or from
 * attached, cpus_read_lock() is held inside it. CPU hotplug holds that lock for writing; therefore it may read `state`
 * without amalgam.lock, and must never take amalgam.lock. split_mmap() must not take it either: it runs with the
 * process's memory lock held, and a call that holds amalgam.lock may wait for that lock. stream.c and split.c have
 * locks of their own, which are taken inside these, and nobody waits for the kernel, or for room, with one of them.
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
    u64 region;                   /* bytes that load allocated for the kernel */
    struct attach_shared *shared; /* NULL: nothing is loaded */
    size_t shared_size;           /* bytes of `shared` and of the split drivers' area behind it */
    char why[160];                /* why the current call failed */
    const void *client;           /* the open file that made the current call; only compared */
    const void *copy;             /* the bytes that its arguments point to; NULL: it has none, or more than COPY_MAX */
};

extern struct amalgam amalgam;

#define COPY_MAX (4u << 20) /* bytes that a call takes from the caller's memory at most */

/* main.c: store the reason of a failure as text for AMALGAM_WHY. Returns `error`. amalgam.lock must be held. */
__printf(2, 3) int why(int error, const char *format, ...);
/* Fault injection: called before each allocation. Returns true for the allocation that the parameter `fail_at` names,
 * which then has to fail. */
bool fail_here(void);

/* gate.c: Returns 0 if the kernel can be attached on this machine, or an error with its text. May sleep. */
int gate_check(void);
/* Look again at what may change after gate_check(), on the calling CPU with interrupts off. Returns 0; -EBUSY: somebody
 * uses AMD-V here; -EOPNOTSUPP: CR4 has a feature on that the kernel does not know. */
int gate_here(void);

/* load.c: Returns the page that a CPU's state crosses in; NULL: the CPU was not present at load. */
struct attach_cpu *cpu_page(unsigned int cpu);
int kernel_load(const struct amalgam_load *args);
/* Returns 1 if the loaded kernel is this image with this heap, else 0. */
int kernel_is(const struct amalgam_load *args);
void kernel_unload(void);

/* attach.c: switch all online CPUs, or none. Fills `took`. May sleep. */
int attach_all(struct amalgam_switched *took);
int detach_all(struct amalgam_switched *took);
/* Switch the CPU that calls, while all others are attached. The caller must not migrate. */
int attach_this_cpu(void);
int detach_this_cpu(void);
/* CPU `cpu` goes offline: let another CPU receive the kernel's doorbell. */
void bell_leave(unsigned int cpu);

/* trampoline.S: interrupts must be off. Return the kernel's answer, 0 or an error. */
extern char amalgam_trampoline[], amalgam_trampoline_end[], amalgam_resume[], amalgam_back[];
asmlinkage long amalgam_enter(struct attach_cpu *page);
asmlinkage long amalgam_leave(void);

/* hotplug.c */
int hotplug_start(void);
void hotplug_stop(void);
int cpu_give(struct amalgam_cpu *args);
int cpu_take(struct amalgam_cpu *args);
int cpu_state(struct amalgam_cpu *args);
/* Call guard_begin() before a gift: it fails if a CPU is offline and not given, and from then on the kernel checks the
 * interrupt commands that Linux writes. Call guard_end() after something was taken back: it ends these checks when
 * nothing is given any more. */
int guard_begin(void);
void guard_end(void);
/* Flush the nested translations of every CPU. */
void flush_all(void);

/* memory.c */
int memory_start(void);
void memory_stop(void);
int memory_give(const struct amalgam_range *range);
int memory_take(const struct amalgam_range *range);
int memory_write(const struct amalgam_write *args);
/* Returns 0 if the range consists of whole granules of RAM and no part of it is given, or an error with its text.
 * amalgam.lock must be held. */
int memory_check(u64 base, u64 size, u64 granule);
bool memory_is_ram(u64 base, u64 size);
/* Returns whether a part of the range is given. Any context that may take a spinlock. */
bool memory_is_given(u64 base, u64 size);

/* record.c: `owner` is the open file of a claim. */
int record_claim(const struct amalgam_range *range, const void *owner);
void record_release(const void *owner);
/* Called by the memory notifier when a block went offline, or came online, in the process that did it. */
void record_offline(u64 base, u64 size);
void record_online(u64 base, u64 size);
/* Fill `held` with entry held->index of all that is held. Returns -ENOENT behind the last one. amalgam.lock must be
 * held. */
int record_get(struct amalgam_held *held);
void record_stop(void);
/* Fill `held` with given CPU, or given memory, number *skip. Returns false if there are fewer, and reduces *skip by
 * their number. */
bool hotplug_given(u32 *skip, struct amalgam_held *held);
bool memory_given(u32 *skip, struct amalgam_held *held);

/* power.c */
int power_start(void);
void power_stop(void);
/* Returns whether a suspend has begun and not ended. amalgam.lock must be held. */
bool power_is_suspending(void);
/* Describe the registers by which this machine sleeps and resets, from ACPI's tables. Returns 0, or an error with its
 * text. May sleep. */
int power_describe(struct attach_power *power);

/* stream.c: connected from load to unload. */
int stream_start(void);
void stream_stop(void);
void stream_connect(struct attach_shared *shared);
void stream_disconnect(void);
struct attach_shared *stream_shared(void); /* NULL: not connected. Any context. */
void stream_rung(void);                    /* the kernel rang; any context but NMI */
struct reader;
struct reader *reader_new(void);
void reader_free(struct reader *reader);
ssize_t reader_read(struct reader *reader, char __user *to, size_t count, bool wait);
ssize_t reader_write(struct reader *reader, const char __user *from, size_t count, bool wait);
__poll_t reader_poll(struct reader *reader, struct file *file, poll_table *table);
int reader_seek(struct reader *reader, bool oldest);

/* bell.c */
int bell_start(void);
void bell_stop(void);
/* Take a doorbell that has reached no CPU: the kernel does not ring again before one is taken. */
void bell_look(void);
/* Wait until nothing that a ring has begun still runs. May sleep. */
void bell_synchronize(void);

/* split.c: the area begins on the first page behind struct attach_shared. */
int split_start(void);
void split_stop(void);
void split_connect(void);    /* amalgam.shared must be set */
bool split_disconnect(void); /* false: the area stays connected, because a program has it mapped */
void split_bell(void);       /* wake up the programs: the kernel rang; any context but NMI */

/* Call the kernel beneath this CPU. Returns its answer, or -ENXIO if there is no kernel. */
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
