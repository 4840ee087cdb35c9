/* SPDX-License-Identifier: MIT */
/* The shadow TLB of the ppc405 port against the reference (tests/host/ppc405/mmu_reference.h). */
#include "mmu_reference.h"

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

/* A zone's field of 10 or 11 overrides what the guest's entry permits, not what its area does. */
static void a_tunnel_is_never_executable(void **state)
{
    static const u32 area = 0x71000000, ea = 0x50000000;
    u32 hpa;
    for (u32 writable = 0; writable < 2; writable++)
        for (u32 field = 0; field < 4; field++)
            for (u32 rights = 0; rights <= (TLBLO_EX | TLBLO_WR); rights += TLBLO_WR)
                for (u32 problem = 0; problem < 2; problem++) {
                    set_up(state);
                    assert_true(mmu_add_area(vm, area, 0x10000, 0x45000, writable ? TLBLO_WR : 0));
                    mmu_set_zpr(vm, field * 0x55555555u);
                    record.regs.msr = MSR_IR | MSR_DR | (problem ? MSR_PR : 0);
                    map(0, ea, area, 1, rights);
                    assert_int_equal(at(ea + 8, FETCH, &hpa), DENIED);
                    bool seen = field || !problem, may = rights & TLBLO_WR || field == 3;
                    assert_int_equal(at(ea + 8, LOAD, &hpa), seen ? OK : DENIED);
                    if (field != 2 || rights & TLBLO_WR) /* 10 without WR: docs/shadow-tlb.md */
                        assert_int_equal(at(ea + 8, STORE, &hpa), seen && may && writable ? OK : DENIED);
                }
}

/* Two entries for one address are undefined on the chip. */
static void a_tunnel_replaces_the_pages_that_were_shown_there(void **state)
{
    u32 hpa, shown = 0;
    assert_int_equal(at(TUNNEL, LOAD, &hpa), DEVICE); /* nobody's: its fault is ignored */
    assert_int_equal(at(TUNNEL, LOAD, &hpa), DEVICE);
    assert_true(mmu_add_area(vm, TUNNEL, 0x100000, 0x04000000, TLBLO_WR));
    assert_int_equal(at(TUNNEL + 0x4000, LOAD, &hpa), OK);
    for (u32 i = 0; i < HW_TLB; i++)
        shown += fake_covers(i, TUNNEL);
    assert_int_equal(shown, 1);
    assert_int_equal(at(TUNNEL, LOAD, &hpa), OK);
    assert_int_equal(hpa, 0x04000000);
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

/* Translated code where, untranslated, the serial port is: one hardware entry would be both. */
static void the_page_that_executes_is_never_a_device(void **state)
{
    u32 hpa;
    map(0, 0xef600000, 0x5000, 1, TLBLO_EX);
    record.regs.msr = MSR_IR;
    vm->ctx.pc = 0xef600100;
    assert_int_equal(at(vm->ctx.pc, FETCH, &hpa), OK);
    assert_int_equal(at(0xef600300, STORE, &hpa), EVENT);
    assert_int_equal(at(vm->ctx.pc, FETCH, &hpa), OK);
    assert_int_equal(hpa, MEMORY + 0x5100);
    assert_int_equal(at(0xef601300, STORE, &hpa), DEVICE); /* the page beside it */
}

/* A kernel whose text is 4 KiB pages, and whose TLB does not execute what it does not know (STRICT_KERNEL_RWX). */
static void stubs_are_there_for_privileged_mode_whatever_the_tlb_says(void **state)
{
    u32 hpa;
    conf.n_patches = 1;
    previrt_reset(vm);
    u32 gpa = vm->stubs + 0x5040, ea = 0xc0000000 + gpa;
    mmu_set_zpr(vm, 0x55555555);
    record.regs.msr = MSR_IR | MSR_DR;
    assert_int_equal(at(ea + 0x1000, LOAD, &hpa), MISS);
    assert_int_equal(at(ea, FETCH, &hpa), OK);
    assert_int_equal(hpa, MEMORY + gpa);
    assert_int_equal(at(0xc0000000 + vm->stubs - 4, FETCH, &hpa), MISS);
    assert_int_equal(at(0xc0000000 + vm->stubs + PREVIRT_AREA, FETCH, &hpa), MISS);
    map(0, ea & ~0xfffu, gpa & ~0xfffu, 1, TLBLO_WR); /* seen as data, not to be executed */
    for (int n = 0; n < 2; n++) {
        assert_int_equal(at(ea, STORE, &hpa), OK);
        assert_int_equal(hpa, MEMORY + gpa);
        assert_int_equal(at(ea, FETCH, &hpa), OK);
        assert_int_equal(hpa, MEMORY + gpa);
    }
    record.regs.msr |= MSR_PR;
    assert_int_equal(at(ea, FETCH, &hpa), DENIED);
    map(0, 0, 0, 1, 0);
    assert_int_equal(at(ea, FETCH, &hpa), MISS);
    assert_int_equal(at(ea, LOAD, &hpa), MISS);
}

static void only_privileged_mode_calls(void **state)
{
    static const u32 calls = 0xffffe000;
    mmu_set_zpr(vm, 0x55555555);
    for (u32 patched = 0; patched < 2; patched++) {
        conf.n_patches = patched;
        previrt_reset(vm);
        for (u32 problem = 0; problem < 2; problem++) {
            bool served = patched && !problem;
            record.regs.msr = MSR_IR | MSR_DR | (problem ? MSR_PR : 0);
            record.regs.srr0 = 0xc0001234;
            record.regs.srr1 = record.regs.msr;
            vm->ctx.pc = 0xc0000000;
            assert_int_equal(previrt_store(vm, calls), served); /* rfi */
            assert_int_equal(vm->ctx.pc, served ? 0xc0001234 : 0xc0000000);
            assert_int_equal(previrt_store(vm, calls + CALL_MTPID + 4 * 3), served);
            assert_false(previrt_store(vm, calls - 4) || previrt_store(vm, calls + 0x1000));
        }
    }
}

static void a_page_of_all_pids_has_one_shadow_for_pid_0_and_one_for_the_others(void **state)
{
    u32 hpa, ea = 0x10005000, shadows = 0;
    mmu_set_zpr(vm, 0x55555555);
    record.regs.msr = MSR_IR | MSR_DR;
    map(0, ea, 0x7000, 1, TLBLO_WR);
    for (u32 pid = 0; pid < 4; pid++) {
        mmu_set_pid(vm, pid);
        assert_int_equal(at(ea, STORE, &hpa), OK);
        assert_int_equal(hpa, MEMORY + 0x7000);
    }
    for (u32 i = 0; i < HW_TLB; i++)
        shadows += fake_covers(i, ea);
    assert_int_equal(shadows, 2);
    for (u32 n = 0; n < 6; n++) { /* a kernel that closes programs' memory to itself, and opens it again */
        mmu_set_pid(vm, n % 2 * 3);
        hw_set_pid(vm->space_pid[MODE_TRANSLATED]);
        assert_true(hw_tlb_search(ea) >= 0);
    }
    map(0, 0x20005000, 0x8000, 1, TLBLO_WR); /* in its place */
    for (u32 pid = 0; pid < 4; pid++) {
        mmu_set_pid(vm, pid);
        assert_int_equal(at(ea, LOAD, &hpa), MISS);
    }
}

static void the_msr_in_the_register_page_does_not_choose_the_space(void **state)
{
    for (u32 msr = 0; msr < (MSR_IR | MSR_DR); msr += MSR_DR) {
        fake_tlb.pid = vm->space_pid[MODE_TRANSLATED];
        fake_tlb.zpr = ZPR_PRIVILEGED;
        record.regs.msr = msr; /* a store to the page, not an mtmsr */
        did.what = NOTHING;
        mmu_fault(vm, VEC_DTLB, 0xef600300, 0);
        assert_int_equal(did.what, MISS);
        assert_int_equal(fake_tlb.pid, vm->space_pid[MODE_TRANSLATED]); /* by which the instruction is found */
    }
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
        T(a_tunnel_is_never_executable),
        T(a_tunnel_replaces_the_pages_that_were_shown_there),
        T(the_register_page_is_for_its_kernel_only),
        T(a_device_page_obeys_the_guests_rights),
        T(in_mixed_modes_what_differs_stops_the_guest),
        T(the_page_that_executes_is_never_a_device),
        T(stubs_are_there_for_privileged_mode_whatever_the_tlb_says),
        T(only_privileged_mode_calls),
        T(a_page_of_all_pids_has_one_shadow_for_pid_0_and_one_for_the_others),
        T(the_msr_in_the_register_page_does_not_choose_the_space),
        T(the_tlb_instructions_do_what_the_manual_says),
        T(little_endian_pages_are_refused),
        T(random_guests_get_what_the_reference_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
