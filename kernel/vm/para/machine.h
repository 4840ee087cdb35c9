/* SPDX-License-Identifier: MIT */
/* machine.h - the machine of a guest in ring 1: what its vCPU has besides the processor's. Used inside vm/para only. */
#ifndef AMALGAM_VM_PARA_MACHINE_H
#define AMALGAM_VM_PARA_MACHINE_H

#include <vm/devices.h>
#include <vm/load.h>
#include <vm/vm.h>

enum { LINE_TIMER = 0, LINE_INPUT = 4, LINE_TUNNEL = 5 };
#define TUNNELS     3 /* lines from LINE_TUNNEL on, which tunnels share; behind them virtio's (vm/places.h) */
#define INPUT_BYTES 2048u

/* Of vcpu.requests: the virtio console has input; the PIT's edge was sent. */
enum { REQ_INPUT = 0x100, REQ_PIT = 0x200, REQ_START = 0x400, REQ_WAIT = 0x800 }; /* strong.c: begin / not yet */

struct para_vcpu {
    struct vcpu vcpu; /* first */
    struct timer timer;
    struct spinlock lock; /* of the input */
    u8 input[INPUT_BYTES];
    unsigned first, n;
};

/* A VM with its machine's parts: none of them in one whose kernel was built for ring 1. */
struct para_vm {
    struct vm vm; /* first */
    struct pc_parts parts;
};

static inline struct para_vcpu *para_of(struct vcpu *v) { return (struct para_vcpu *)v; }

/* machine.c: raise a line and kick the vCPU. Any context. */
void para_raise(struct para_vcpu *v, unsigned line);

/* strong.c: one guest on several cores; not linked where PARA_STRONG is 0 (arch/vcpu.h). Returns what is wrong with a
 * record / whether it is one. */
const char *strong_check(const struct sys_header *h, const struct sys_domain *d);
bool strong_is(const struct vm *vm);
int strong_create(struct vm *vm);
/* Its start: the vCPU of the first core runs, others wait. Returns 0, or an error with *why. */
int strong_start(struct para_vcpu *v, const char **why);
/* The vCPU's thread begins: meet those of other cores. */
void strong_thread_begin(struct para_vcpu *v);
/* Around each run of the vCPU; interrupts are off. */
void strong_before_run(struct para_vcpu *v);
void strong_after_run(struct para_vcpu *v);
/* Get the page that the last run lacked. Returns false: the guest cannot go on. */
bool strong_exit(struct para_vcpu *v);
/* A vCPU that was not started: returns whether it is to begin / begin it. */
bool strong_begins(struct para_vcpu *v);
bool strong_request(struct para_vcpu *v);
/* As vcpu_read(), with pages that are elsewhere. Thread context. */
int strong_read(struct para_vcpu *v, void *to, u32 from, u32 n);
/* A call of the guest about its other vCPUs. */
s32 strong_call(struct para_vcpu *v);
/* The guest ends: on the other cores, too. */
void strong_ends(struct para_vcpu *v, u32 how);

/* calls.c: do a call of kernel/api/para.yaml that the processor's part has left, or one of calls.yaml. */
void para_machine_call(struct para_vcpu *v);

#endif
