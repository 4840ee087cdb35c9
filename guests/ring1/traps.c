/* SPDX-License-Identifier: MIT */
/*
 * traps.c - exceptions and interrupts of a guest in ring 1, from its kernel and from programs: each comes with the
 * vector, the error code and the place that a processor would give it.
 */
#include "ring1.h"

#define SUPERVISOR (USER_END + 0x20000) /* a page that programs may not touch */
#define READ_ONLY  (USER + 0x20000)
#define STACK      (USER + 0x10000)
#define NOTHING    0xffffffffu

static unsigned right, wrong;
static volatile uint32_t vector, error, flags;
static volatile bool from_program;

static void expect(const char *what, uint32_t got, uint32_t wanted)
{
    if (got == wanted) {
        right++;
        return;
    }
    wrong++;
    print("traps: %s: %x, not %x\n", what, got, wanted);
}

static void handler(struct trap *t)
{
    vector = t->vector;
    error = t->error;
    flags = t->flags;
    from_program = (t->cs & 3) == 3;
    if (from_program)
        ring1_back(0);
    if (t->vector == 14)
        *ring1_entry(AMALGAM_SHARED(AMALGAM_SHARE_CR2)) |= t->error & 1 ? 2 : 1;
    else if (t->vector == 0 || t->vector == 6 || t->vector == 13)
        t->eip += 2; /* each of those instructions has two bytes */
    t->flags &= ~0x100u;
}

#define KERNEL(what, number, code, text)                                                                               \
    do {                                                                                                               \
        vector = NOTHING;                                                                                              \
        error = 0;                                                                                                     \
        __asm__ volatile(text ::: "eax", "ecx", "edx", "memory", "cc");                                                \
        expect(what, vector, number);                                                                                  \
        expect(what ", error", error, code);                                                                           \
    } while (0)

static void of_the_kernel(void)
{
    KERNEL("division", 0, 0, "xor %%ecx, %%ecx; div %%ecx");
    KERNEL("undefined", 6, 0, "ud2");
    KERNEL("breakpoint", 3, 0, "int3");
    KERNEL("a vector of no gate", 13, 0x90 * 8 + 2, "int $0x90");
    KERNEL("a selector of ours", 13, 0x108, "mov $0x108, %%eax; mov %%eax, %%ds");
    KERNEL("single step", 1, 0, "pushf; orl $0x100, (%%esp); popf; nop");
    *ring1_entry(READ_ONLY) &= ~2u;
    ring1_invalidate(READ_ONLY);
    KERNEL("a read-only page", 14, 3, "movl $1, 0x420000");
}

/* Run a few bytes in ring 3. */
static void program(const char *what, const char *code, unsigned n, uint32_t number, uint32_t code_of_error)
{
    uint8_t *to = (uint8_t *)USER;
    for (unsigned i = 0; i < n; i++)
        to[i] = (uint8_t)code[i];
    vector = NOTHING;
    ring1_program(USER, STACK);
    expect(what, vector, number);
    expect("  its error", error, code_of_error);
    expect("  from ring 3", from_program, true);
}

static void of_programs(void)
{
    program("cli", "\xfa", 1, 13, 0);
    program("hlt", "\xf4", 1, 13, 0);
    program("in", "\xe4\x60", 2, 13, 0);
    program("int of a kernel's vector", "\xcd\x0e", 2, 13, 14 * 8 + 2);
    program("int3", "\xcc", 1, 3, 0);
    program("undefined", "\x0f\x0b", 2, 6, 0);
    program("read of a kernel's page", "\xa1\x00\x00\x52\x00", 5, 14, 5);
    program("write to a read-only page", "\xa3\x00\x00\x42\x00", 5, 14, 7);
    program("read of our state", "\xa1\x00\x10\xc0\xff", 5, 14, 5);
    program("write to the shared page", "\xa3\x00\x30\xc0\xff", 5, 14, 7);
    program("a far jump into ring 0", "\xea\x00\x00\x00\x00\x00\x01", 7, 13, 0x100);
    program("the system call", "\xcd\x80", 2, 0x80, 0);
    program("the system call again", "\xcd\x80", 2, 0x80, 0);
    program("with flags: DF, NT, AC", "\x9c\x81\x0c\x24\x00\x44\x04\x00\x9d\xcd\x80", 11, 0x80, 0);
    expect("interrupts are on in a program", flags & 0x200, 0x200);
}

#define DF           0x400
#define NT           0x4000
#define AC           0x40000
#define STRINGIFY(x) #x
#define NUMBER(x)    STRINGIFY(x)
#define ABSENT       0x510000 /* a page: the address is in the instructions */

/* Go to the hypervisor or to a handler with a flag set, and see whether it is set behind, as `kept` says. */
#define FLAGGED(what, flag, kept, text)                                                                                \
    do {                                                                                                               \
        uint32_t after;                                                                                                \
        __asm__ volatile("pushf; orl %1, (%%esp); popf; " text "; pushf; pop %0; push $2; popf"                        \
                         : "=&S"(after)                                                                                \
                         : "i"(flag)                                                                                   \
                         : "eax", "ebx", "ecx", "edx", "memory", "cc");                                                \
        expect(what " with " #flag, after &flag, kept);                                                                \
    } while (0)

#define AT_EACH_ENTRY(flag, kept)                                                                                      \
    do {                                                                                                               \
        FLAGGED("a call", flag, kept, "mov $" NUMBER(AMALGAM_EVENTS) ", %%eax; int $" NUMBER(AMALGAM_VECTOR));         \
        FLAGGED("cpuid", flag, kept, "xor %%eax, %%eax; int $" NUMBER(AMALGAM_CPUID));                                 \
        FLAGGED("an emulated instruction", flag, kept, "mov %%cr2, %%eax");                                            \
        ring1_invalidate(ABSENT);                                                                                      \
        FLAGGED("a page of the shadow", flag, kept, "mov " NUMBER(ABSENT) ", %%eax");                                  \
        *ring1_entry(ABSENT) &= ~1u;                                                                                   \
        ring1_invalidate(ABSENT);                                                                                      \
        FLAGGED("a page fault", flag, kept, "mov " NUMBER(ABSENT) ", %%eax");                                          \
        FLAGGED("an invalid opcode", flag, flag, "ud2");                                                               \
        FLAGGED("a breakpoint", flag, flag, "int3");                                                                   \
    } while (0)

static void with_flags(void)
{
    AT_EACH_ENTRY(DF, DF);
    AT_EACH_ENTRY(NT, 0); /* a return through the hypervisor nests no task */
    AT_EACH_ENTRY(AC, AC);
    KERNEL("a step over a call", 1, 0,
           "pushf; orl $0x100, (%%esp); mov $" NUMBER(AMALGAM_EVENTS) ", %%eax; popf; int $" NUMBER(
               AMALGAM_VECTOR) "; nop");
}

/* What the segment registers hold is held behind a call. */
static void with_selectors(void)
{
    static const uint16_t some[] = { 0, 0x18, 0x19, 0x2b, 0x23 };
    for (unsigned i = 0; i < sizeof(some) / sizeof(*some); i++) {
        uint32_t fs, gs, es, selector = some[i];
        __asm__ volatile("mov %3, %%fs; mov %3, %%gs; mov %3, %%es; int %4; mov %%fs, %0; mov %%gs, %1; mov %%es, %2; "
                         "mov %5, %%es"
                         : "=&S"(fs), "=&D"(gs), "=&c"(es)
                         : "b"(selector), "i"(AMALGAM_VECTOR), "d"(0x18), "a"(AMALGAM_EVENTS)
                         : "memory");
        expect("selectors behind a call", fs << 16 | (gs & 0xffff), selector << 16 | selector);
        expect("es behind a call", es & 0xffff, selector);
    }
}

/* A directory that names itself shows the guest's own tables. */
static void with_tables(void)
{
    uint32_t *directory = (uint32_t *)AMALGAM_SHARED(AMALGAM_SHARE_CR3);
    directory[1022] = (uint32_t)directory | 3;
    uint32_t *itself = (uint32_t *)0xffbfe000, *first = (uint32_t *)0xff800000;
    expect("the directory in itself", itself[1022] & ~0x60u, directory[1022] & ~0x60u);
    expect("a table by the directory", first[USER >> 12] & ~0x60u, *ring1_entry(USER) & ~0x60u);
    *ring1_entry(ABSENT) &= ~1u;
    ring1_invalidate(ABSENT);
    first[ABSENT >> 12] |= 1;
    vector = NOTHING;
    expect("an entry that was written by it", *(volatile uint32_t *)ABSENT, 0);
    expect("  no fault", vector, NOTHING);
    directory[1022] = 0;
    amalgam_load_cr3((uint32_t)directory, 0, 0);
}

int main(void)
{
    ring1_tables();
    __asm__ volatile("mov %0, %%cr0" ::"r"(0x80010011));
    *ring1_entry(SUPERVISOR) &= ~4u;
    ring1_handler = handler;
    of_the_kernel();
    with_flags();
    with_selectors();
    with_tables();
    *ring1_entry(READ_ONLY) &= ~2u;
    ring1_invalidate(READ_ONLY);
    of_programs();
    print("traps: %u right, %u wrong\n", right, wrong);
    return 0;
}
