/* SPDX-License-Identifier: MIT */
/*
 * The shadow TLB of the ppc405 port against a reference: what the manual says an access does in the
 * guest's state, and the invariant that no hardware entry grants anything else.
 */
#include "mmu.h"
#include <arch/deliver.h>
#include <arch/devices.h>
#include <core/partition.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MEMORY 0x20000000u /* host-physical */
#define TUNNEL 0x70000000u /* guest-physical, one page, read only */

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
void vm_event(struct vm *v, enum pt_event event, u32 code, u32 value) { did.what = EVENT; }

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
void fault_event(struct vm *vm, u32 code, u32 ea) { vm_event(vm, PT_ON_FAULT, code, ea); }

/* One access of the guest; `hpa` where it went if it was OK. */
static enum outcome access_guest(u32 ea, enum access a, u32 *hpa)
{
    u32 msr = record.regs.msr;
    for (int tries = 0; tries < 4; tries++) {
        did.what = NOTHING;
        fake_tlb.pid = vm->space_pid[msr >> 4 & 3];
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
    vm->size = 0x02800000; /* 40 MiB: the last 8 are not shown by one 16 MiB page */
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

static void real_mode_reaches_its_memory_and_nothing_else(void **state)
{
    u32 hpa;
    assert_int_equal(at(0x123456, LOAD, &hpa), OK);
    assert_int_equal(hpa, MEMORY + 0x123456);
    assert_int_equal(at(vm->size - 4, STORE, &hpa), OK);
    assert_int_equal(at(vm->size, LOAD, &hpa), DEVICE);
    assert_int_equal(at(0xffffffffu, LOAD, &hpa), DEVICE);
    assert_int_equal(at(vm->size, FETCH, &hpa), EVENT);
    check_invariant();
}

static void every_page_size_is_shown_to_its_last_byte(void **state)
{
    u32 hpa;
    record.regs.msr = MSR_IR | MSR_DR;
    mmu_set_zpr(vm, 0x55555555);
    for (u32 size = 1; size <= 7; size++) {
        u32 bytes = 1024u << (2 * size);
        map(3, 0x40000000, 0x01000000, size, TLBLO_WR);
        assert_int_equal(at(0x40000000 + bytes - 4, STORE, &hpa), OK);
        assert_int_equal(hpa, MEMORY + 0x01000000 + bytes - 4);
        assert_int_equal(at(0x40000000 + bytes, LOAD, &hpa), MISS);
        assert_int_equal(did.vector, VEC_DTLB);
        assert_int_equal(at(0x40000000, FETCH, &hpa), DENIED);
        check_invariant();
    }
}

static void four_plain_1k_pages_are_shown_as_one_and_others_refused(void **state)
{
    u32 hpa;
    record.regs.msr = MSR_IR | MSR_DR;
    mmu_set_zpr(vm, 0x55555555);
    for (u32 n = 0; n < 4; n++)
        map(n, 0x40000000 + n * 0x400, 0x8000 + n * 0x400, 0, TLBLO_WR | TLBLO_EX);
    assert_int_equal(at(0x40000404, FETCH, &hpa), OK);
    assert_int_equal(hpa, MEMORY + 0x8404);
    map(3, 0x40000c00, 0x8c00, 0, TLBLO_EX);
    assert_int_equal(at(0x40000404, LOAD, &hpa), EVENT);
    map(3, 0x40000c00, 0x8c00, 0, TLBLO_WR | TLBLO_EX);
    assert_int_equal(at(0x40000404, LOAD, &hpa), OK);
    tlbwe(2, 0, 0);
    assert_int_equal(at(0x40000804, LOAD, &hpa), MISS);
    assert_int_equal(at(0x40000404, LOAD, &hpa), EVENT);
}

static void a_changed_entry_is_seen_at_once(void **state)
{
    u32 hpa;
    record.regs.msr = MSR_IR | MSR_DR;
    mmu_set_zpr(vm, 0x55555555);
    for (u32 pid = 0; pid < 256; pid += 51) {
        mmu_set_pid(vm, pid);
        map(9, 0x40000000, 0x5000, 1, TLBLO_WR);
        assert_int_equal(at(0x40000000, LOAD, &hpa), OK);
        map(9, 0x40000000, 0x6000, 1, 0);
        assert_int_equal(at(0x40000000, LOAD, &hpa), OK);
        assert_int_equal(hpa, MEMORY + 0x6000);
        assert_int_equal(at(0x40000000, STORE, &hpa), DENIED);
        tlbwe(9, 0, 0);
        assert_int_equal(at(0x40000000, LOAD, &hpa), MISS);
    }
}

static void a_switch_of_mode_needs_no_fill(void **state)
{
    u32 hpa;
    mmu_set_zpr(vm, 0x15555555); /* zone 0: 00, the kernel's */
    record.regs.msr = MSR_IR | MSR_DR;
    map(0, 0xc0000000, 0, 7, TLBLO_WR | TLBLO_EX);
    mmu_set_pid(vm, 7);
    map(1, 0x10000000, 0x01000000, 1, TLBLO_WR | TLBLO_EX | TLBLO_ZSEL(1));
    assert_int_equal(at(0xc0000000, FETCH, &hpa), OK);
    struct fake_tlb before = fake_tlb;
    for (int n = 0; n < 3; n++) {
        record.regs.msr = MSR_IR | MSR_DR | MSR_PR;
        assert_int_equal(at(0x10000000, STORE, &hpa), OK);
        assert_int_equal(at(0xc0000000, LOAD, &hpa), DENIED);
        assert_int_equal(did.esr, ESR_DIZ);
        record.regs.msr = MSR_IR | MSR_DR;
        assert_int_equal(at(0xc0000004, STORE, &hpa), OK);
    }
    assert_memory_equal(before.hi, fake_tlb.hi, sizeof before.hi);
}

static void a_read_only_tunnel_stays_read_only_in_every_zone(void **state)
{
    u32 hpa;
    assert_true(mmu_add_area(vm, TUNNEL, 0x1000, 0x31000, 0));
    mmu_set_zpr(vm, 0xffffffff);
    assert_int_equal(at(TUNNEL + 8, LOAD, &hpa), OK);
    assert_int_equal(hpa, 0x31008);
    assert_int_equal(at(TUNNEL + 8, STORE, &hpa), DENIED);
    record.regs.msr = MSR_IR | MSR_DR;
    map(0, 0x50000000, TUNNEL, 7, TLBLO_WR | TLBLO_EX);
    assert_int_equal(at(0x50000008, LOAD, &hpa), OK);
    assert_int_equal(hpa, 0x31008);
    assert_int_equal(at(0x50000008, STORE, &hpa), DENIED);
    assert_int_equal(at(0x50000008, FETCH, &hpa), DENIED);
    assert_int_equal(at(0x50001000, LOAD, &hpa), DEVICE);
    assert_true(mmu_add_area(vm, 0x71000000, 0x20000, 0x45000, TLBLO_WR)); /* neither end is aligned as the other */
    map(1, 0x60000000, 0x71000000, 7, TLBLO_WR);
    for (u32 offset = 0; offset < 0x20000; offset += 0x3000) {
        assert_int_equal(at(0x60000000 + offset, STORE, &hpa), OK);
        assert_int_equal(hpa, 0x45000 + offset);
    }
}

static void the_register_page_is_for_its_kernel_only(void **state)
{
    u32 hpa;
    assert_int_equal(at(REGPAGE_EA, LOAD, &hpa), DEVICE);
    conf.flags |= PT_IRFM;
    mmu_switch(vm); /* what was seen there before */
    mmu_set_zpr(vm, 0xffffffff);
    for (u32 msr = 0; msr <= (MSR_IR | MSR_DR); msr += MSR_DR) {
        record.regs.msr = msr;
        map(0, 0xff000000, 0, 7, TLBLO_WR | TLBLO_EX);
        assert_int_equal(at(REGPAGE_EA + 4, STORE, &hpa), OK);
        assert_int_equal(hpa, (u32)(uintptr_t)&record.regs + 4);
        assert_int_equal(at(REGPAGE_EA + 4, FETCH, &hpa), DENIED);
        if (msr == (MSR_IR | MSR_DR))
            assert_int_equal(at(0xff000000, STORE, &hpa), OK);
        record.regs.msr = msr | MSR_PR;
        if (msr) /* untranslated it may write its kernel anyway */
            assert_int_not_equal(at(REGPAGE_EA + 4, LOAD, &hpa), OK);
    }
}

static void a_device_page_obeys_the_guests_rights(void **state)
{
    u32 hpa;
    record.regs.msr = MSR_IR | MSR_DR;
    mmu_set_zpr(vm, 0x1b000000); /* zones 0..3: 00 01 10 11 */
    for (u32 zone = 0; zone < 4; zone++)
        for (u32 problem = 0; problem < 2; problem++) {
            record.regs.msr = MSR_IR | MSR_DR | (problem ? MSR_PR : 0);
            map(0, 0xef600000, 0xef600000, 1, TLBLO_ZSEL(zone));
            assert_int_equal(at(0xef600300, LOAD, &hpa), zone == 0 && problem ? DENIED : DEVICE);
            assert_int_equal(at(0xef600300, STORE, &hpa), zone + !problem >= 3 ? DEVICE : DENIED);
        }
}

static void in_mixed_modes_what_differs_stops_the_guest(void **state)
{
    u32 hpa;
    mmu_set_zpr(vm, 0x55555555);
    map(0, 0x40000000, 0x5000, 1, TLBLO_WR | TLBLO_EX);
    map(1, 0x6000, 0x6000, 1, TLBLO_EX);
    map(2, 0x7000, 0x8000, 1, TLBLO_EX | TLBLO_WR);
    record.regs.msr = MSR_DR;
    assert_int_equal(at(0x3000, FETCH, &hpa), OK);
    assert_int_equal(at(0x40000000, STORE, &hpa), OK);
    assert_int_equal(hpa, MEMORY + 0x5000);
    assert_int_equal(at(0x6000, FETCH, &hpa), OK);
    assert_int_equal(at(0x6000, LOAD, &hpa), OK);
    assert_int_equal(at(0x6000, STORE, &hpa), DENIED);
    assert_int_equal(at(0x7000, LOAD, &hpa), OK);
    assert_int_equal(hpa, MEMORY + 0x8000);
    assert_int_equal(at(0x7000, FETCH, &hpa), EVENT);
    assert_int_equal(at(0x9000, LOAD, &hpa), MISS);
    map(3, 0x3000, 0xa000, 1, 0); /* executed above, as it is untranslated */
    assert_int_equal(at(0x3000, LOAD, &hpa), OK);
    assert_int_equal(hpa, MEMORY + 0xa000);
    record.regs.msr = MSR_IR;
    assert_int_equal(at(0x40000000, FETCH, &hpa), OK);
    assert_int_equal(hpa, MEMORY + 0x5000);
    assert_int_equal(at(0x9000, STORE, &hpa), OK);
    assert_int_equal(hpa, MEMORY + 0x9000);
    assert_int_equal(at(0x9000, FETCH, &hpa), MISS);
    assert_int_equal(at(0x7000, FETCH, &hpa), EVENT);
}

static void the_tlb_instructions_do_what_the_manual_says(void **state)
{
    mmu_set_pid(vm, 5);
    tlbwe(70, 1, 0x00123000 | TLBLO_EX | TLBLO_ZSEL(9) | TLBLO_I);
    guest_tlbwe(vm, 6, 0, 0x80001000 | TLBHI_SIZE(1) | TLBHI_V);
    mmu_set_pid(vm, 9);
    assert_int_equal(guest_tlbsx(vm, 0x80001fff), -1);
    assert_int_equal(guest_tlbre(vm, 6, 1), 0x00123000 | TLBLO_EX | TLBLO_ZSEL(9) | TLBLO_I);
    assert_int_equal(record.regs.pid, 9);
    assert_int_equal(guest_tlbre(vm, 6, 0), 0x80001000 | TLBHI_SIZE(1) | TLBHI_V);
    assert_int_equal(record.regs.pid, 5);
    assert_int_equal(guest_tlbsx(vm, 0x80001fff), 6);
    guest_tlbia(vm);
    assert_int_equal(guest_tlbsx(vm, 0x80001fff), -1);
}

static void little_endian_pages_are_refused(void **state)
{
    tlbwe(1, 0, 0x40000000 | TLBHI_V | TLBHI_E);
    assert_int_equal(did.what, EVENT);
}

static u32 rnd(u32 n) { return (u32)random() % n; }

static void random_guests_get_what_the_reference_says(void **state)
{
    static const u8 pids[] = { 0, 1, 2, 77, 250, 251, 252, 255 };
    static const u32 regions[] = { 0, 0x40000000, 0xc0000000, 0xff000000 };
    const char *n = getenv("TEST_STEPS");
    srandom(405);
    for (u32 step = 0; step < (n ? (u32)atoi(n) : 60000); step++) {
        u32 ea = regions[rnd(4)] + (rnd(2) ? rnd(8) * 0x1000 : rnd(0x1000) * 0x1000) + rnd(4) * 0x400;
        switch (rnd(16)) {
        case 0:
        case 1:
        case 2: {
            u32 size = rnd(4) ? 1 : rnd(8), gpa = rnd(0x2900) * 0x1000 + rnd(4) * 0x400, i = rnd(64);
            tlbwe(i, 1, (gpa & ~0x3ffu) | (rnd(4) << 8) | TLBLO_ZSEL(rnd(6)));
            tlbwe(i, 0, (ea & ~0x3ffu) | TLBHI_SIZE(size) | (rnd(8) ? TLBHI_V : 0));
            break;
        }
        case 3: tlbwe(rnd(64), 1, (rnd(0x2900) << 12) | (rnd(4) << 8) | TLBLO_ZSEL(rnd(6))); break;
        case 4: mmu_set_pid(vm, pids[rnd(8)]); break;
        case 5: mmu_set_zpr(vm, rnd(3) ? record.regs.zpr : (u32)random() * 2); break;
        case 6: record.regs.msr = (rnd(4) ? MSR_IR | MSR_DR : rnd(4) << 4) | (rnd(2) ? MSR_PR : 0); break;
        case 7:
            if (!rnd(50)) {
                guest_tlbia(vm);
                memset(guest.hi, 0, sizeof guest.hi);
            } else if (!rnd(20))
                mmu_switch(vm);
            break;
        default: check_access(ea + 4 * rnd(16), rnd(3));
        }
        if (step % 8 == 0)
            check_invariant();
    }
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, set_up)
    const struct CMUnitTest tests[] = {
        T(real_mode_reaches_its_memory_and_nothing_else),
        T(every_page_size_is_shown_to_its_last_byte),
        T(four_plain_1k_pages_are_shown_as_one_and_others_refused),
        T(a_changed_entry_is_seen_at_once),
        T(a_switch_of_mode_needs_no_fill),
        T(a_read_only_tunnel_stays_read_only_in_every_zone),
        T(the_register_page_is_for_its_kernel_only),
        T(a_device_page_obeys_the_guests_rights),
        T(in_mixed_modes_what_differs_stops_the_guest),
        T(the_tlb_instructions_do_what_the_manual_says),
        T(little_endian_pages_are_refused),
        T(random_guests_get_what_the_reference_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
