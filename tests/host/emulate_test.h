/* SPDX-License-Identifier: MIT */
/* emulate_test.h - what emulate.c stands on: a guest with 64 KiB, one device register, and what became of both. */
#ifndef AMALGAM_TESTS_EMULATE_TEST_H
#define AMALGAM_TESTS_EMULATE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errors.h>
#include <string.h>
#include "pc.h"

#define DEVICE 0xfee00000u

static u8 ram[0x10000];
static struct vm vm = { .memory = { 1, { { 0, ram, sizeof(ram) } } } };
static struct vmcb vmcb;
static struct pc_vcpu cpu;
static u64 device, device_at, fault_va;
static unsigned reads, writes, faults, refused;
static bool fault_write, again;

static u64 mask_of(unsigned size) { return ~0ull >> (64 - 8 * size); }

bool device_access(struct pc_vcpu *v, const struct insn *i, u64 addr, bool write, u64 *value)
{
    u64 mask = mask_of(i->size);
    if (write && again)
        return false;
    device_at = addr;
    if (write) {
        writes++;
        device = (device & ~mask) | (*value & mask);
    } else {
        reads++;
        *value = device & mask;
    }
    return true;
}

void page_fault(struct pc_vcpu *v, u64 va, bool write)
{
    faults++;
    fault_va = va;
    fault_write = write;
}

void not_decoded(struct pc_vcpu *v) { refused++; }

static int setup(void **state)
{
    memset(ram, 0, sizeof(ram));
    memset(&cpu, 0, sizeof(cpu));
    vmcb = (struct vmcb){ .rip = 0x100, .rflags = 2, .cr0 = 1, .shadow = 1 };
    cpu.vcpu.vm = &vm;
    cpu.vcpu.hal.vmcb = &vmcb;
    reads = writes = faults = refused = 0;
    again = false;
    device = 0;
    return 0;
}

#endif
