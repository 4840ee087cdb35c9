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
enum { REQ_INPUT = 0x100, REQ_PIT = 0x200 };

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

/* calls.c: do a call of kernel/api/para.yaml that the processor's part has left, or one of calls.yaml. */
void para_machine_call(struct para_vcpu *v);

#endif
