/* SPDX-License-Identifier: MIT */
/*
 * addresses.c - translation (PPC405 User's Manual, 7): real and mixed modes, page
 * sizes, PID, misses, entries that are replaced or invalidated while they are in use.
 */
#include "instructions.h"
#include "access.h"

#define RIGHTS (TLBLO_EX | TLBLO_WR)

static void test_sizes(void)
{
    static const u32 ra[8] = { 0, 0x00201000, 0x00208000, 0x00220000, 0x00240000, 0x00300000, 0x00400000, 0 };
    for (u32 size = 1; size < 8; size++) {
        u32 bytes = 1024u << 2 * size, last = bytes - 0x400; /* below the last KiB, which the board's loader uses */
        *(volatile u32 *)(ra[size] + 0x4000 % bytes) = 0x11110000 + size;
        *(volatile u32 *)(ra[size] + last) = 0x22220000 + size;
        tlb_map(1, 0x40000000, ra[size], size, RIGHTS, 0);
        print("# size %u\n", size);
        access("size first", TRAN_LOAD, 0x40000000 + 0x4000 % bytes);
        access("size last", TRAN_LOAD, 0x40000000 + last);
        access("size below", TRAN_LOAD, 0x3ffffffc);
        access("size beyond", TRAN_LOAD, 0x40000000 + bytes);
        access("size store", TRAN_STORE, 0x40000000 + last);
        print("T size stored: %08x\n", *(volatile u32 *)(ra[size] + last));
        /* the bits of EPN and RPN below the size are ignored */
        tlb_map(1, 0x40000000 + (bytes >> 1 & ~0x3ffu), ra[size] + (bytes >> 1 & ~0x3ffu), size, RIGHTS, 0);
        access("size unaligned", TRAN_LOAD, 0x40000000 + last);
        tlb_write(1, 0, 0, 0);
    }
}

static void look_in(u32 msr)
{
    print("# MSR %x\n", msr);
    access_in("mode load", msr, LOAD, SCRATCH);
    access_in("mode store", msr, STORE, SCRATCH + 4);
    access_in("mode unmapped load", msr, LOAD, SCRATCH + 0x2000);
}

static void test_modes(void)
{
    static const u32 msr[] = { 0, MSR_DR, MSR_IR, MSR_IR | MSR_DR, MSR_PR, MSR_PR | MSR_IR | MSR_DR };
    tlb_map(1, SCRATCH, SCRATCH + 0x1000, PAGE_4K, RIGHTS, 0);
    tlb_write(0, 0, 0, 0); /* instead of the MiB: only the code page */
    tlb_map(2, CODE, CODE, PAGE_4K, RIGHTS, 0);
    *(volatile u32 *)SCRATCH = 0xaaaa0000;
    *(volatile u32 *)(SCRATCH + 0x1000) = 0xbbbb0000;
    for (u32 i = 0; i < ARRAY_SIZE(msr); i++)
        look_in(msr[i]);
    print("T mode stored: %08x %08x\n", *(volatile u32 *)(SCRATCH + 4), *(volatile u32 *)(SCRATCH + 0x1004));
    /* code at an address that is translated elsewhere */
    tlb_map(3, 0x50000000, CODE, PAGE_4K, RIGHTS, 0);
    run_at("code elsewhere", MSR_IR, 0x50000000);
    run_at("code elsewhere both", MSR_IR | MSR_DR | MSR_PR, 0x50000000);
    run_at("code unmapped", MSR_IR, 0x50001000);
    run_at("code unmapped problem", MSR_IR | MSR_DR | MSR_PR, 0x50001004);
    run_at("code real", 0, CODE);
}

static void test_pid(void)
{
    *(volatile u32 *)(SCRATCH + 0x1000) = 0x00000001;
    *(volatile u32 *)(SCRATCH + 0x2000) = 0x00000002;
    *(volatile u32 *)(SCRATCH + 0x3000) = 0x00000fff;
    tlb_map(1, 0x40000000, SCRATCH + 0x1000, PAGE_4K, RIGHTS, 1);
    tlb_map(2, 0x40000000, SCRATCH + 0x2000, PAGE_4K, RIGHTS, 2);
    tlb_map(3, 0x40001000, SCRATCH + 0x3000, PAGE_4K, RIGHTS, 255);
    static const u8 pid[] = { 0, 1, 2, 1, 3, 255, 254, 2 };
    for (u32 i = 0; i < ARRAY_SIZE(pid); i++) {
        mtspr(SPR_PID, pid[i]);
        print("# PID %u\n", pid[i]);
        access("pid own", TRAN_LOAD, 0x40000000);
        access("pid 255", TRAN_LOAD, 0x40001000);
        access("pid any", TRAN_LOAD, SCRATCH + 0x1000);
    }
    mtspr(SPR_PID, 1);
    access_in("pid DR only", MSR_DR, LOAD, 0x40000000);
    mtspr(SPR_PID, 2);
    access_in("pid DR only", MSR_DR, LOAD, 0x40000000);
    mtspr(SPR_PID, 0);
    /* every PID once, each with a page of its own through the one entry */
    u32 sum = 0;
    for (u32 p = 1; p < 256; p++) {
        *(volatile u32 *)(SCRATCH + 0x1000) = p * p;
        tlb_map(4, 0x42000000, SCRATCH + 0x1000, PAGE_4K, RIGHTS, p);
        mtspr(SPR_PID, p);
        sum = sum * 31 + load_in(MSR_IR | MSR_DR | MSR_PR, 0x42000000);
        mtspr(SPR_PID, p ^ 1);
        sum = sum * 31 + load_in(MSR_IR | MSR_DR, 0x42000000);
        mtspr(SPR_PID, 0);
    }
    print("T pid all: %08x\n", sum);
}

static void test_replace(void)
{
    *(volatile u32 *)(SCRATCH + 0x1000) = 0x1111;
    *(volatile u32 *)(SCRATCH + 0x2000) = 0x2222;
    tlb_map(5, 0x40000000, SCRATCH + 0x1000, PAGE_4K, RIGHTS, 0);
    access("replace before", TRAN_LOAD, 0x40000000);
    tlb_map(5, 0x40000000, SCRATCH + 0x2000, PAGE_4K, RIGHTS, 0);
    access("replace after", TRAN_LOAD, 0x40000000);
    tlb_map(6, 0x41000000, SCRATCH + 0x1000, PAGE_4K, RIGHTS, 0);
    access("second entry", TRAN_LOAD, 0x41000000);
    tlb_map(5, 0x43000000, SCRATCH + 0x2000, PAGE_4K, RIGHTS, 0);
    access("moved away", TRAN_LOAD, 0x40000000);
    access("moved to", TRAN_LOAD, 0x43000000);
    access("second entry stays", TRAN_LOAD, 0x41000000);
    tlb_write(5, 0, 0, 0);
    access("invalidated", TRAN_LOAD, 0x43000000);
    tlb_flush();
    access("all invalidated, code too", TRAN_LOAD, 0x41000000);
    tlb_map(0, 0, 0, 5, RIGHTS, 0);
    access("code is back", TRAN_LOAD, 0x41000000);
    /* more pages than the TLB has entries, refilled without a handler */
    u32 sum = 0;
    for (u32 i = 0; i < 200; i++) {
        *(volatile u32 *)(SCRATCH + 0x1000) = i * 7;
        tlb_map(1 + i % 63, 0x44000000 + (i << 12), SCRATCH + 0x1000, PAGE_4K, RIGHTS, 0);
        sum = sum * 31 + load_in(MSR_IR | MSR_DR | MSR_PR, 0x44000000 + (i << 12));
        sum = sum * 31 + load_in(MSR_IR | MSR_DR, 0x44000000 + ((i ^ 64) << 12));
    }
    print("T replace many: %08x\n", sum);
}

static void test_faults(void)
{
    access("miss load", TRAN_LOAD, 0x40000124);
    access("miss store", TRAN_STORE, 0x40000128);
    access_in("miss load privileged", MSR_IR | MSR_DR, LOAD, 0x40000004);
    static const u32 more[] = {
        0x7ca01fac, /* icbi 0, r3 */
        0x7c001fec, /* dcbz 0, r3 */
        0x7c0018ac, /* dcbf 0, r3 */
        0x7c00186c, /* dcbst 0, r3 */
        0x7c001a2c, /* dcbt 0, r3 */
        0xbb830000, /* lmw r28, 0(r3) */
        0xbf830000, /* stmw r28, 0(r3) */
        0x94a30004, /* stwu r5, 4(r3) */
        0x84a30004, /* lwzu r5, 4(r3) */
        0x7ca01828, /* lwarx r5, 0, r3 */
        0x8ca3ffff, /* lbzu r5, -1(r3) */
    };
    for (u32 i = 0; i < ARRAY_SIZE(more); i++) {
        struct frame f;
        mtspr(SPR_ESR, 0);
        mtspr(SPR_DEAR, 0);
        fresh_frame(&f, MSR_IR | MSR_DR | MSR_PR);
        f.gpr[3] = 0x40000ff8;
        put_code(&more[i], 1);
        print("# word %08x\n", more[i]);
        run_and_print(&f, "tran-prob", "miss of word");
    }
    /* a store across the end of a page into one that is not mapped: the first page must not have changed */
    tlb_map(1, 0x40000000, SCRATCH, PAGE_4K, RIGHTS, 0);
    *(volatile u32 *)(SCRATCH + 0xffc) = 0x01020304;
    access("load across", TRAN_LOAD, 0x40000ffe);
    access("store across", TRAN_STORE, 0x40000ffe);
    tlb_map(2, 0x40001000, SCRATCH + 0x2000, PAGE_4K, RIGHTS, 0);
    *(volatile u32 *)(SCRATCH + 0x2000) = 0x05060708;
    access("load across mapped", TRAN_LOAD, 0x40000ffe);
    access("store across mapped", TRAN_STORE, 0x40000ffe);
    print("T across stored: %08x %08x\n", *(volatile u32 *)(SCRATCH + 0xffc), *(volatile u32 *)(SCRATCH + 0x2000));
}

/* In problem mode with only data or only instructions translated: the hypervisor stops the guest (docs/shadow-tlb.md).
 */
void test_refused(void)
{
    tlb_map(1, SCRATCH, SCRATCH + 0x1000, PAGE_4K, RIGHTS, 0);
    look_in(MSR_PR | MSR_DR);
}

void test_addresses(void)
{
    static void (*const part[])(void) = { test_sizes, test_modes, test_pid, test_replace, test_faults };
    for (u32 i = 0; i < ARRAY_SIZE(part); i++) {
        fresh_start();
        part[i]();
    }
}
