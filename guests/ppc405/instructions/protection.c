/* SPDX-License-Identifier: MIT */
/*
 * protection.c - zones and page rights (PPC405 User's Manual, 7.4): each value of a zone with each combination of EX
 * and WR, privileged and unprivileged, for load, store and fetch.
 */
#include "access.h"

#define DATA 0x40000000
#define MSRS (MSR_IR | MSR_DR)

/* Set ZPR to `value` for zone `zone` and 01 for all others. QEMU applies it when PID changes. */
static void set_zone(u32 zone, u32 value)
{
    mtspr(SPR_ZPR, (0x55555555 & ~(3u << (30 - 2 * zone))) | value << (30 - 2 * zone));
    u32 pid = mfspr(SPR_PID);
    mtspr(SPR_PID, pid ^ 1);
    mtspr(SPR_PID, pid);
    __asm__ volatile("isync" : : : "memory");
}

static void test_rights(u32 zone)
{
    for (u32 value = 0; value < 4; value++)
        for (u32 rights = 0; rights < 4; rights++) {
            print("# zone %u value %u EX %u WR %u\n", zone, value, rights >> 1, rights & 1);
            tlb_map(1, DATA, CODE, PAGE_4K, rights << 8 | TLBLO_ZSEL(zone), 0);
            set_zone(zone, value);
            access_in("zone load privileged", MSRS, LOAD, DATA);
            access_in("zone store privileged", MSRS, STORE, DATA + 0x800);
            run_at("zone fetch privileged", MSRS, DATA);
            access_in("zone load problem", MSRS | MSR_PR, LOAD, DATA);
            access_in("zone store problem", MSRS | MSR_PR, STORE, DATA + 0x800);
            run_at("zone fetch problem", MSRS | MSR_PR, DATA);
        }
    set_zone(zone, 1);
}

/* Use one page in each zone; then change a zone's value while its page is in use. */
static void test_all_zones(void)
{
    for (u32 zone = 0; zone < 16; zone++) {
        tlb_map(1 + zone, DATA + (zone << 12), SCRATCH, PAGE_4K, TLBLO_ZSEL(zone), 0);
        set_zone(zone, 0);
        u32 no = load_in(MSRS | MSR_PR, DATA + (zone << 12)), privileged = load_in(MSRS, DATA + (zone << 12));
        set_zone(zone, 1);
        u32 yes = load_in(MSRS | MSR_PR, DATA + (zone << 12));
        set_zone(zone, 2);
        u32 again = load_in(MSRS | MSR_PR, DATA + (zone << 12));
        print("T zone %u: %08x %08x %08x %08x\n", zone, no, privileged, yes, again);
    }
    tlb_map(1, DATA, SCRATCH, PAGE_4K, TLBLO_ZSEL(3), 0);
    set_zone(3, 3);
    access("zone opened", TRAN_STORE, DATA + 8);
    set_zone(3, 1);
    access("zone read only", TRAN_STORE, DATA + 8);
    set_zone(3, 0);
    access("zone closed", TRAN_LOAD, DATA + 8);
    set_zone(3, 3);
    access("zone opened again", TRAN_STORE, DATA + 8);
}

/* Remove rights while the page is in use: a new TLB entry must apply at once. */
static void test_taken(void)
{
    tlb_map(1, DATA, SCRATCH, PAGE_4K, TLBLO_WR, 0);
    access("writable", TRAN_STORE, DATA);
    tlb_map(1, DATA, SCRATCH, PAGE_4K, 0, 0);
    access("no longer writable", TRAN_STORE, DATA);
    access("still readable", TRAN_LOAD, DATA);
    tlb_map(1, DATA, CODE, PAGE_4K, TLBLO_EX, 0);
    run_at("executable", MSRS | MSR_PR, DATA);
    tlb_map(1, DATA, CODE, PAGE_4K, 0, 0);
    run_at("no longer executable", MSRS | MSR_PR, DATA);
    tlb_map(1, DATA, CODE, PAGE_4K, TLBLO_EX | TLBLO_ZSEL(2), 0);
    set_zone(2, 0);
    run_at("fetch in a closed zone", MSRS | MSR_PR, DATA);
    run_at("privileged in a closed zone", MSRS, DATA);
    set_zone(2, 1);
    run_at("fetch in an opened zone", MSRS | MSR_PR, DATA);
}

void test_protection(void)
{
    test_rights(0);
    fresh_start();
    test_rights(7);
    fresh_start();
    test_all_zones();
    fresh_start();
    test_taken();
}
