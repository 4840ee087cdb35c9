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
    if (t->vector == 14 && t->error & 2)
        *ring1_entry(AMALGAM_SHARED(AMALGAM_SHARE_CR2)) |= 2;
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

int main(void)
{
    ring1_tables();
    __asm__ volatile("mov %0, %%cr0" ::"r"(0x80010011));
    *ring1_entry(SUPERVISOR) &= ~4u;
    ring1_handler = handler;
    of_the_kernel();
    *ring1_entry(READ_ONLY) &= ~2u;
    ring1_invalidate(READ_ONLY);
    of_programs();
    print("traps: %u right, %u wrong\n", right, wrong);
    return 0;
}
