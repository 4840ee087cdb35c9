/* SPDX-License-Identifier: MIT */
/*
 * tlbseq - the sequences of TLB instructions that pre-virtualization replaces as one (docs/previrtualization.md), with
 * random operands, between loads and stores that use their entries. The checksum of all results must be the same on the
 * bare board, unmodified and pre-virtualized. rounds=2000 seed=1 damage=0 (the round from which on other pages are
 * used, so that the checksum must differ)
 */
#include <guest.h>

#define MAPPED (MSR_ME | MSR_IR | MSR_DR)
#define DATA   0x400000u /* 1024 pages, each with its number in its first word */
#define PAGES  1024u
/* entry i maps a page whose number modulo 64 is i, so none overlap; entry 0: this program */
#define WINDOW 0x10000000u
#define LARGE  0x40000000u /* of entry 1, 16 MiB */

/* r4 is the address, r3 the value that is loaded or stored; the second word of each raises the exception that ends it.
 */
extern char loads[], stores[];
__asm__(".text\n"
        ".globl loads, stores\n"
        "loads: lwz 3, 0(4)\n"
        "       .long 0\n"
        "stores: stw 3, 0(4)\n"
        "       .long 0\n");

static u32 sum, wrong;
static void note(u32 value) { sum = (sum << 5 | sum >> 27) ^ value; }

static void write_entry(u32 index, u32 hi, u32 lo, u32 pid)
{
    __asm__ volatile("tlbwe %1, %0, 1\n\ttlbwe %2, %0, 0\n\tmtspr 945, %3" ::"b"(index), "b"(lo), "b"(hi), "b"(pid)
                     : "memory");
}

/* Search an entry. Returns its number and CR0; without a match only CR0, because the number is undefined then. */
static u32 find(u32 ea, u32 tid, u32 pid)
{
    u32 found = 64, cr;
    __asm__ volatile("mtspr 945, %3\n\ttlbsx. %0, 0, %2\n\tmtspr 945, %4\n\tmfcr %1"
                     : "+b"(found), "=r"(cr)
                     : "b"(ea), "b"(tid), "b"(pid)
                     : "cr0", "memory");
    return (cr >> 29 & 1 ? found : 64) | cr >> 28 << 8;
}

static void use(u32 ea, u32 value, bool store)
{
    struct frame f = { .pc = (u32)(store ? stores : loads), .msr = MAPPED };
    f.gpr[3] = value;
    f.gpr[4] = ea;
    try(&f);
    note(f.vector);
    note(f.gpr[3]);
    note(f.pc);
}

static u32 address_of(u32 index, u32 chance)
{
    return index == 1 ? LARGE + (DATA | (chance & 0x3fffff)) : WINDOW + (chance % 4 * 64 + index) * 0x1000;
}

static void change(u32 index, u32 tid, u32 *state)
{
    u32 chance = random_next(state), ea = address_of(index, chance), page = DATA + (chance >> 8) % PAGES * 0x1000;
    u32 valid = chance >> 28 ? TLBHI_V : 0, lo = (random_next(state) & (TLBLO_WR | TLBLO_ZSEL(15))) | TLBLO_EX;
    if (index == 1) {
        mtspr(SPR_PID, 0);
        write_entry(1, LARGE | TLBHI_SIZE(7) | valid, lo, tid);
    } else {
        if (chance >> 26 & 1) /* an entry for all PIDs */
            mtspr(SPR_PID, 0);
        write_entry(index, (ea & ~0xfffu) | TLBHI_SIZE(1) | valid, (page ^ wrong) | lo, random_next(state) & 3);
    }
}

static void step(u32 *state)
{
    u32 chance = random_next(state), index = 1 + (chance >> 8) % 63, tid = (chance >> 16) % 5, what = chance & 7;
    mtspr(SPR_PID, tid);
    if (what < 3) {
        change(index, tid, state);
    } else if (what < 5) {
        note(find(address_of(index, random_next(state)), 1 + (chance >> 20 & 3), tid));
    } else if (what < 7) {
        use(address_of(index, random_next(state)) & ~3u, chance, chance >> 31);
    } else if (chance >> 27 == 0) {
        __asm__ volatile("tlbia" ::: "memory");
        mtspr(SPR_PID, 0);
        write_entry(0, TLBHI_SIZE(7) | TLBHI_V, TLBLO_EX | TLBLO_WR, tid);
    }
    note(mfspr(SPR_PID));
}

void guest_main(void)
{
    u32 state = arg_number("seed", 1) | 1, rounds = arg_number("rounds", 2000), damage = arg_number("damage", 0);
    for (u32 i = 0; i < PAGES; i++)
        *(volatile u32 *)(DATA + i * 0x1000) = i;
    mtspr(SPR_ZPR, 0x55555555);
    mtspr(SPR_PID, 0);
    tlb_flush();
    write_entry(0, TLBHI_SIZE(7) | TLBHI_V, TLBLO_EX | TLBLO_WR, 1);
    for (u32 i = 1; i <= rounds; i++) {
        if (i == damage)
            wrong = 0x1000;
        step(&state);
        if (i % (rounds / 4) == 0)
            print("tlbseq: %u sum %08x\n", i, sum);
    }
    tlb_flush();
    print("tlbseq: done\n");
}
