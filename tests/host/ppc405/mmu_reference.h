/* SPDX-License-Identifier: MIT */
/*
 * mmu_reference.h - beside the ppc405 port's shadow TLB: what the manual says an access does in the guest's state, and
 * the invariant that no hardware entry grants anything else.
 */
#ifndef AMALGAM_TESTS_MMU_REFERENCE_H
#define AMALGAM_TESTS_MMU_REFERENCE_H

#include "mmu.h"
#include <arch/deliver.h>
#include <arch/devices.h>
#include <arch/previrt.h>
#include <partition/partition.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MEMORY 0x20000000u /* host-physical */
#define TUNNEL 0x70000000u /* guest-physical, one page, read only */

struct partition_core core;
struct fake_tlb fake_tlb;
static struct vm_record record;
static struct vm *const vm = &record.vm;
static struct pt_vm conf;

/* The guest's state again, kept apart from the kernel's */
static struct {
    u32 hi[64], lo[64];
    u8 tid[64];
} guest;

/* ---- what the kernel under test did ---- */

enum outcome { NOTHING, OK, MISS, DENIED, DEVICE, EVENT };
static struct {
    enum outcome what;
    u32 vector, ea, esr, gpa;
} did;

void deliver_data(struct vm *v, u32 vector, u32 ea, u32 esr)
{
    did.what = vector == VEC_DTLB ? MISS : DENIED;
    did.vector = vector, did.ea = ea, did.esr = esr;
}
void deliver_instruction(struct vm *v, u32 vector, u32 esr)
{
    did.what = vector == VEC_ITLB ? MISS : DENIED;
    did.vector = vector, did.esr = esr;
}
void mmio(struct vm *v, u32 gpa, u32 ea) { did.what = DEVICE, did.gpa = gpa; }
void partition_event(struct vm *v, enum pt_event event, u32 code, u32 value) { did.what = EVENT; }

/* ---- the machine ---- */

enum access { LOAD, STORE, FETCH };

/* What hardware zone `zone` with these rights grants in problem state under `zpr`. */
static bool grants(u32 zpr, u32 zone, u32 lo, enum access a)
{
    u32 field = zpr >> (30 - 2 * zone) & 3;
    if (field == 0)
        return false;
    if (field == 3)
        return true;
    return a == LOAD || lo & (a == STORE ? TLBLO_WR : TLBLO_EX);
}
void emulate(struct vm *v, u32 insn) {}
void fault_event(struct vm *vm, u32 code, u32 ea) { partition_event(vm, PT_ON_FAULT, code, ea); }

/* One access of the guest; `hpa` where it went if it was OK. */
static enum outcome access_guest(u32 ea, enum access a, u32 *hpa)
{
    u32 msr = record.regs.msr;
    for (int tries = 0; tries < 4; tries++) {
        did.what = NOTHING;
        fake_tlb.pid = vm->space_pid[msr >> 4 & 3];
        fake_tlb.zpr = vm->mode_zpr[msr >> 14 & 1];
        int slot = hw_tlb_search(ea);
        if (slot >= 0) {
            u32 lo = fake_tlb.lo[slot], low = ~(~0u << (10 + 2 * TLBHI_SIZE_OF(fake_tlb.hi[slot])));
            if (grants(vm->mode_zpr[msr >> 14 & 1], lo >> 4 & 15, lo, a)) {
                *hpa = (lo & ~low & ~0x3ffu) | (ea & low);
                return OK;
            }
            u32 field = vm->mode_zpr[msr >> 14 & 1] >> (30 - 2 * (lo >> 4 & 15)) & 3;
            mmu_fault(vm, a == FETCH ? VEC_ISI : VEC_DSI, ea, (a == STORE ? ESR_DST : 0) | (!field ? ESR_DIZ : 0));
        } else
            mmu_fault(vm, a == FETCH ? VEC_ITLB : VEC_DTLB, ea, a == STORE ? ESR_DST : 0);
        if (did.what != NOTHING)
            return did.what;
    }
    fail_msg("the access to %08x never ends", ea);
    return NOTHING;
}

/* ---- the reference ---- */

static bool covers(u32 i, u32 ea)
{
    return (guest.hi[i] & TLBHI_V) && !((guest.hi[i] ^ ea) & (~0u << (10 + 2 * TLBHI_SIZE_OF(guest.hi[i]))));
}
static u32 target(u32 i, u32 ea)
{
    u32 low = ~(~0u << (10 + 2 * TLBHI_SIZE_OF(guest.hi[i])));
    return (guest.lo[i] & ~low & ~0x3ffu) | (ea & low);
}
static u32 field_of(u32 i) { return record.regs.zpr >> (30 - 2 * (guest.lo[i] >> 4 & 15)) & 3; }
static bool guest_grants(u32 i, bool problem, enum access a)
{
    u32 field = field_of(i);
    if (field == 0 && problem)
        return false;
    if (field == 3 || (field == 2 && !problem))
        return true;
    return a == LOAD || guest.lo[i] & (a == STORE ? TLBLO_WR : TLBLO_EX);
}
static bool backed(u32 gpa, u32 *hpa)
{
    *hpa = gpa + MEMORY;
    return gpa < vm->size;
}

/* Is `got` (and hpa) what entry `i` (or -1: none; untranslated if !translated) may do? */
static bool allowed(bool translated, int i, u32 ea, enum access a, enum outcome got, u32 hpa)
{
    bool problem = record.regs.msr & MSR_PR;
    if (translated && i < 0)
        return got == MISS;
    if (translated && !guest_grants(i, problem, a))
        return got == DENIED && did.esr == ((a == STORE ? ESR_DST : 0) | (problem && !field_of(i) ? ESR_DIZ : 0));
    u32 gpa = translated ? target(i, ea) : ea, want;
    if (backed(gpa, &want))
        return (got == OK && hpa == want) || (translated && !(guest.hi[i] & TLBHI_SIZE(7)) && got == EVENT);
    return a == FETCH ? got == EVENT : got == DEVICE && did.gpa == gpa;
}

static void check_access(u32 ea, enum access a)
{
    u32 msr = record.regs.msr, hpa = 0, pid = record.regs.pid;
    enum outcome got = access_guest(ea, a, &hpa);
    bool translated = msr & (a == FETCH ? MSR_IR : MSR_DR), mixed = (msr >> 4 & 3) == 1 || (msr >> 4 & 3) == 2,
         any = false, good = false;
    for (int i = 0; translated && i < 64; i++)
        if (covers(i, ea) && (!guest.tid[i] || guest.tid[i] == pid)) {
            any = true;
            good |= allowed(translated, i, ea, a, got, hpa);
        }
    if (!any)
        good = allowed(translated, -1, ea, a, got, hpa);
    if (mixed && got == EVENT)
        good = true; /* what cannot be shown stops the guest; test_mixed says when */
    if (mixed && !any && a != FETCH && got != MISS)
        good = true; /* the page that executes is also seen as data, where data has none: docs/shadow-tlb.md */
    if (!good)
        fail_msg("%s %08x msr %08x pid %u: got %u (hpa %08x vector %x esr %08x)",
                 (const char *[]){ "load", "store", "fetch" }[a], ea, msr, pid, got, hpa, did.vector, did.esr);
}

/* ---- the invariant ---- */

static bool entry_matches(u32 slot, u32 ea, u32 tid)
{
    u32 lo = fake_tlb.lo[slot], low = ~(~0u << (10 + 2 * TLBHI_SIZE_OF(fake_tlb.hi[slot])));
    for (u32 i = 0; i < 64; i++) {
        u32 hpa;
        if (!covers(i, ea) || (guest.tid[i] && guest.tid[i] != tid) || !backed(target(i, ea), &hpa))
            continue;
        bool same = hpa == ((lo & ~low & ~0x3ffu) | (ea & low));
        for (int problem = 0; same && problem < 2; problem++)
            for (enum access a = LOAD; a <= FETCH; a++)
                same &=
                    guest_grants(i, problem, a) == grants(problem ? ZPR_PROBLEM : ZPR_PRIVILEGED, lo >> 4 & 15, lo, a);
        if (same)
            return true;
    }
    return false;
}

/* An entry of no access: no memory is behind it, and it says what the guest's entry does. */
static bool device_matches(u32 slot, u32 ea, u32 pid)
{
    u32 gpa = fake_tlb.lo[slot] & ~0xfffu, hpa;
    assert_int_equal(TLBHI_SIZE_OF(fake_tlb.hi[slot]), 1);
    assert_true(!grants(ZPR_PRIVILEGED, ZONE_DEVICE, fake_tlb.lo[slot], LOAD) &&
                !grants(ZPR_PROBLEM, ZONE_DEVICE, 0, LOAD));
    for (u32 i = 0; i < 64; i++)
        if (covers(i, ea) && (!guest.tid[i] || guest.tid[i] == pid) && target(i, ea) == gpa && !backed(gpa, &hpa) &&
            (!(fake_tlb.lo[slot] & TLBLO_WR) || guest_grants(i, false, STORE)))
            return true;
    return false;
}

static void check_invariant(void)
{
    for (u32 s = 0; s < HW_TLB; s++) {
        if (!(fake_tlb.hi[s] & TLBHI_V))
            continue;
        u32 size = 1024u << (2 * TLBHI_SIZE_OF(fake_tlb.hi[s])), ea = (fake_tlb.hi[s] & ~(size - 1)),
            tid = fake_tlb.tid[s];
        u32 hpa = fake_tlb.lo[s] & ~(size - 1) & ~0x3ffu;
        assert_true(tid >= SPACE_REAL);
        assert_true(TLBHI_SIZE_OF(fake_tlb.hi[s]) >= 1);
        bool device = (fake_tlb.lo[s] >> 4 & 15) == ZONE_DEVICE;
        assert_true(device || (hpa >= MEMORY && hpa - MEMORY + size <= vm->size));
        for (u32 t = 0; t < s; t++)
            if ((fake_tlb.hi[t] & TLBHI_V) && fake_tlb.tid[t] == tid)
                assert_false(fake_covers(t, ea) || fake_covers(s, fake_tlb.hi[t] & ~0x3ffu));
        if (tid == SPACE_REAL)
            assert_int_equal(hpa - (device ? 0 : MEMORY), ea);
        if (tid < SPACE_PID)
            continue; /* mixed: their accesses are checked one by one */
        u32 pid = tid == SPACE_SHARED ? record.regs.pid : tid - SPACE_PID;
        if (tid == SPACE_SHARED)
            assert_true(pid >= SPACE_SHARED - SPACE_PID);
        if (device) {
            assert_true(device_matches(s, ea, pid));
            continue;
        }
        for (u32 off = 0; off < size; off += size / 4)
            if (!entry_matches(s, ea + off, pid))
                fail_msg("slot %u: %08x+%x space %u is not the guest's", s, ea, off, tid);
    }
}

/* ---- tests ---- */

static void tlbwe(u32 i, u32 ws, u32 value)
{
    guest_tlbwe(vm, i, ws, value);
    i &= 63;
    if (ws)
        guest.lo[i] = value;
    else {
        guest.hi[i] = value;
        guest.tid[i] = record.regs.pid;
    }
}
static void map(u32 i, u32 ea, u32 gpa, u32 size, u32 rights)
{
    tlbwe(i, 1, gpa | rights);
    tlbwe(i, 0, ea | TLBHI_SIZE(size) | TLBHI_V);
}
static int set_up(void **state)
{
    memset(&record, 0, sizeof record);
    memset(&guest, 0, sizeof guest);
    memset(&fake_tlb, 0, sizeof fake_tlb);
    conf = (struct pt_vm){ .flags = PT_TLB };
    vm->conf = &conf;
    vm->base = MEMORY;
    vm->ctx.pc = 0x90000000; /* in none of the pages that the tests reach */
    vm->size = 0x02800000; /* 40 MiB: the last 8 are not shown by one 16 MiB page */
    previrt_reset(vm);
    mmu_init();
    mmu_reset(vm);
    mmu_switch(vm);
    did.what = NOTHING;
    return 0;
}
static enum outcome at(u32 ea, enum access a, u32 *hpa)
{
    *hpa = 0;
    return access_guest(ea, a, hpa);
}

#endif
