/* SPDX-License-Identifier: MIT */
/*
 * storm - does one thing that is expensive for the hypervisor, for ever and as often as it can. Its table has `reset:
 * ignore` and `fault: ignore`, so that it survives its own attacks.
 *   kind=0   64 bytes of 0xff by hypercall: 128 bytes of a tagged line
 *   kind=1   a system reset, an event that the kernel reports
 *   kind=2   a load from an address without memory, another reported event
 *   kind=3   pages of text by its serial port, without checking whether the transmitter is empty
 *   kind=4   misses for which 63 entries of one list of the virtual TLB are searched
 *   kind=5   a large entry of all PIDs, used and written again
 *   kind=6   four entries of 1 KiB that are one page, among 60, used and written again
 *   kind=7   short sleeps
 */
#include <amalgam_calls.h>
#include <guest.h>

#define NOWHERE 0x70000000u
#define PAGES   0x40000000u
#define MEMORY  0x100000u

static char bytes[64];

static void write_ff(void) { amalgam_console_write((u32)bytes, sizeof bytes); }
static void reset(void) { mtspr(SPR_DBCR0, DBCR0_RST_SYSTEM); }
static void fault(void) { load8(NOWHERE); }
static void text(void)
{
    for (u32 i = 0; i < 4096; i++)
        store8(UART_DATA, i % 64 == 63 ? '\n' : 'a' + i % 26);
}

/* Translation on: the program itself by the last entry; the others are `n` of `size`, `step` apart. */
static void skip(struct frame *f) { f->pc += 4; }
static void translate(u32 n, u32 size, u32 step, u32 tid)
{
    static bool done;
    if (done)
        return;
    done = true;
    tlb_flush();
    for (u32 i = 0; i < n; i++)
        tlb_map(i, PAGES + i * step, i * step % MEMORY, size, TLBLO_EX | TLBLO_WR, tid);
    tlb_map(63, 0, 0, PAGE_16M, TLBLO_EX | TLBLO_WR, 0);
    mtspr(SPR_PID, 1);
    mtspr(SPR_ZPR, 0x55555555);
    on_exception(VEC_DTLB, skip);
    mtmsr(MSR_IR | MSR_DR);
}

static void misses(void)
{
    translate(63, PAGE_4K, 128 << 12, 1);
    load8(PAGES + 64 * (128 << 12));
}

static void large(void)
{
    translate(1, 5, 0x100000, 0);
    load8(PAGES);
    tlb_map(0, PAGES, 0, 5, TLBLO_EX | TLBLO_WR, 0);
    mtspr(SPR_PID, 1);
}

static void quarters(void)
{
    translate(60, 0, 0x400, 1);
    load8(PAGES);
    tlb_map(0, PAGES, 0, 0, TLBLO_EX | TLBLO_WR, 1);
}

static void wake(struct frame *f)
{
    mtspr(SPR_TSR, TSR_PIS);
    f->msr &= ~MSR_WE;
}
static void sleep(void)
{
    on_exception(VEC_PIT, wake);
    mtspr(SPR_TCR, TCR_PIE);
    mtspr(SPR_PIT, 300);
    mtmsr(MSR_WE | MSR_EE);
}

static void (*const storm[])(void) = { write_ff, reset, fault, text, misses, large, quarters, sleep };

void guest_main(void)
{
    u32 kind = arg_number("kind", 0);

    for (u32 i = 0; i < ARRAY_SIZE(bytes); i++)
        bytes[i] = (char)0xff;
    while (kind < ARRAY_SIZE(storm))
        storm[kind]();
    print("storm: no such kind\n");
}
