/* SPDX-License-Identifier: MIT */
/*
 * pmp.c - checks what a cluster can access: prints a line "WHAT: CAUSE" for each access, 99 if it succeeds. The first
 * cluster tries. The second one owns the next slice, and puts a page table into its outbox. Slices have 4 MiB, as a
 * superpage of Sv32.
 */
#include "guest.h"

#define PTE_V 1
#define PTE_R 2
#define PTE_W 4
#define PTE_X 8
#define PTE_U 16
#define PTE_A 64
#define PTE_D 128
#define LEAF  (PTE_V | PTE_R | PTE_W | PTE_X | PTE_A | PTE_D)

#define ENTRIES (4096 / sizeof(ulong))
#define SUM     (1ul << 18)
#define TEST_VA 0x40000000ul
enum { OWN, FOREIGN, FIRMWARE, CODE, OWN_BOX, FOREIGN_BOX, BELLS, PAGES };

static ulong root[ENTRIES] __attribute__((aligned(4096)));
static ulong low[ENTRIES] __attribute__((aligned(4096)));
static u32 own_page[1024] __attribute__((aligned(4096)));
static const u32 returns[] __attribute__((aligned(4))) = { 0x00008067 }; /* ret */

static ulong pte(ulong address, ulong flags) { return address >> 12 << 10 | flags; }
static ulong neighbour(void) { return board.memory + board.memory_size; }
static ulong foreign_box(void) { return board.noc + board.outbox_size; }

/* Try doorbells. There are two clusters of four harts: masters 0 and 1, slaves 2 to 4 of the first, 5 to 7 of the
 * second.
 */
static void doorbells(void)
{
    char what[] = "doorbell 0";
    for (ulong hart = 0; hart < 10; hart++, what[sizeof(what) - 2]++)
        say_access(what, board.doorbells + 4 * hart, "ls");
    say_access("last doorbell", board.doorbells + 0x3ffc, "ls");
}

static void bare(void)
{
    own_page[0] = returns[0];
    __asm__ volatile("fence.i" ::: "memory");
    say_access("own slice", (ulong)own_page, "lf");
    say_access("own slice", (ulong)(own_page + 1), "s");
    say_access("own slice's end", neighbour() - 4, "l");
    say_access("foreign slice", neighbour(), "lsf");
    say_access("foreign slice's end", neighbour() + board.memory_size - 4, "ls");
    say_access("firmware", 0x80000000, "lsf");
    say_access("firmware's table", 0x80200000, "ls");
    say_access("own outbox", board.outbox, "lsf");
    say_access("foreign outbox", foreign_box(), "lsf");
    say_access("NoC slice's end", board.noc + board.noc_size - 4, "ls");
    doorbells();
    say_access("MSWI", 0x02000000, "ls");
    say_access("MTIMER", 0x02004000, "ls");
    say_access("UART", 0x10000000, "ls");
    say_access("finisher", 0x00100000, "ls");
    say_access("flash", 0x20000000, "l");
    say_access("PLIC", 0x0c000000, "l");
    say_access("reset ROM", 0x1000, "lf");
}

/* Execute an instruction of four bytes whose second half lies in the other cluster's slice. */
static void straddle(void)
{
    volatile u16 *last = (volatile u16 *)(neighbour() - 2);
    *last = 0x0013; /* the lower half of a nop */
    __asm__ volatile("fence.i" ::: "memory");
    say("straddling fetch: %lu\n", touch(FETCH, neighbour() - 2));
}

#if __riscv_xlen == 64
#define MODE        (8ul << 60)
#define SUPER_SHIFT 21
static ulong middle[ENTRIES] __attribute__((aligned(4096)));
static void identity(void)
{
    root[0] = pte(0, LEAF);
    root[2] = pte(0x80000000, LEAF);
    root[TEST_VA >> 30] = pte((ulong)middle, PTE_V);
    middle[0] = pte((ulong)low, PTE_V);
}
static void at_superpage(unsigned n, ulong entry) { middle[n] = entry; }
#else
#define MODE        (1ul << 31)
#define SUPER_SHIFT 22
static void identity(void)
{
    for (ulong i = 0; i < 256; i++)
        root[512 + i] = pte(0x80000000 + (i << 22), LEAF);
    for (ulong i = 0; i < 66; i++)
        root[i] = pte(i << 22, LEAF);
    root[TEST_VA >> 22] = pte((ulong)low, PTE_V);
}
static void at_superpage(unsigned n, ulong entry) { root[(TEST_VA >> 22) + n] = entry; }
#endif

static ulong page(unsigned n) { return TEST_VA + 4096ul * n; }
static ulong super(unsigned n) { return TEST_VA + ((ulong)n << SUPER_SHIFT); }

static void map_all(void)
{
    const ulong pages[PAGES] = { (ulong)own_page, neighbour(),   0x80000000,     (ulong)user_begin,
                                 board.outbox,    foreign_box(), board.doorbells };
    identity();
    for (unsigned i = 0; i < PAGES; i++) {
        low[i] = pte(pages[i], LEAF);
        low[i + PAGES] = pte(pages[i], LEAF | PTE_U);
    }
    at_superpage(1, pte(neighbour(), LEAF));
    at_superpage(2, pte(neighbour(), LEAF | PTE_U));
    at_superpage(3, pte(neighbour(), PTE_V));          /* a table in the other cluster's slice */
    at_superpage(4, pte(foreign_box() + 4096, PTE_V)); /* and in its outbox */
    csr_write(satp, MODE | (ulong)root >> 12);
    __asm__ volatile("sfence.vma" ::: "memory");
}

static void try_user(const char *what, ulong address, const char *modes)
{
    static const char *names[] = { "load", "store", "fetch" };
    for (; *modes; modes++) {
        enum access how = *modes == 'l' ? LOAD : *modes == 's' ? STORE : FETCH;
        say("%s %s: %lu\n", what, names[how], touch_user(how, address, page(PAGES + CODE)));
    }
}

static void paged(void)
{
    map_all();
    say_access("paged own", page(OWN), "lf");
    say_access("paged foreign", page(FOREIGN), "lsf");
    say_access("paged firmware", page(FIRMWARE), "lsf");
    say_access("paged own outbox", page(OWN_BOX), "ls");
    say_access("paged foreign outbox", page(FOREIGN_BOX), "lsf");
    say_access("paged doorbell 1", page(BELLS) + 4, "ls");
    say_access("paged doorbell 4", page(BELLS) + 16, "ls");
    say_access("paged doorbell 5", page(BELLS) + 20, "ls");
    say_access("superpage foreign", super(1), "lsf");
    say_access("walk in foreign", super(3), "lsf");
    csr_clear(sip, 2);
    try_user("user own", page(PAGES + OWN), "ls");
    try_user("user foreign", page(PAGES + FOREIGN), "lsf");
    try_user("user firmware", page(PAGES + FIRMWARE), "lsf");
    try_user("user foreign outbox", page(PAGES + FOREIGN_BOX), "lsf");
    try_user("user superpage foreign", super(2), "lsf");
    try_user("user walk in foreign", super(3), "lsf");
    say("user wfi: %lu\n", touch_user((enum access)3, 0, page(PAGES + CODE)));
}

/* Check a table in the outbox, in which QEMU's walk may try to set A and D although PMP allows it only to read. */
static void walk_in_outbox(void)
{
    volatile ulong *entry = (volatile ulong *)(foreign_box() + 4096);
    ulong before = entry[0], even = entry[1];
    say("walk in foreign outbox load: %lu\n", touch(LOAD, super(4)));
    say("walk in foreign outbox store: %lu\n", touch(STORE, super(4)));
    say("foreign outbox changed by a walk: %s\n", entry[0] == before ? "no" : "yes");
    say("walk to an even word store: %lu\n", touch(STORE, super(4) + 4096));
    say("even word changed by a walk: %s\n", entry[1] == even ? "no" : "yes");
}

void guest_hart(ulong hart) { (void)hart; }

void guest_main(ulong hart, ulong start_number)
{
    volatile u32 *box = (volatile u32 *)board.outbox;
    (void)hart, (void)start_number;
    if (board.number) {
        doorbells();
        volatile ulong *table = (volatile ulong *)(board.outbox + 4096);
        table[0] = pte(board.memory - 4096, PTE_V | PTE_R | PTE_W); /* the first cluster's last page */
        table[1] = pte(board.memory - 4096, PTE_R | PTE_W);         /* the same, but not valid: an even number */
        box[1] = 1;
        ring(board.around[0].master);
        for (;;) {
            csr_clear(sip, 2);
            wfi();
        }
    }
    wait_until(((volatile u32 *)foreign_box())[1]);
    bare();
    straddle();
    paged();
    walk_in_outbox();
    say("pmp: done\n");
    power_off(false);
}
