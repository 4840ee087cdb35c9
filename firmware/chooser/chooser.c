/* SPDX-License-Identifier: MIT */
/*
 * chooser.c - what a CD image boots that has two kernels, for AMD-V and for VT-x: it asks CPUID which the processor
 * needs, puts that one where it is linked, and enters it as the boot loader would have (start.S).
 *
 * The kernel finds the boot loader's information unchanged: its first module is the system, the others are memory that
 * it may use.
 */
#include "load.h"

#define TAG_END    0
#define TAG_MODULE 3
#define COM1       0x3f8
#define LSR        5
#define EMPTY      0x20
#define PATIENCE   1000000

struct tag {
    u32 type, size, start, end; /* the last two of a module */
};

u32 chooser(const u8 *information);

static void cpuid(u32 leaf, u32 r[4])
{
    __asm__ volatile("cpuid" : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3]) : "a"(leaf), "c"(0));
}

static void out(u16 port, u8 v) { __asm__ volatile("outb %0, %1" ::"a"(v), "Nd"(port)); }
static u8 in(u16 port)
{
    u8 v;
    __asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}

/* COM1 is as the boot loader has left it. */
static void say(const char *text)
{
    for (; *text; text++) {
        for (u32 i = 0; i < PATIENCE && !(in(COM1 + LSR) & EMPTY); i++)
            ;
        out(COM1, (u8)*text);
    }
}

/* Return the module with number `n`, or NULL. */
static const struct tag *module(const u8 *information, u32 n)
{
    const u8 *end = information + *(const u32 *)information;
    for (const u8 *at = information + 8; at + 8 <= end;) {
        const struct tag *t = (const struct tag *)at;
        if (t->type == TAG_END || t->size < 8)
            break;
        if (t->type == TAG_MODULE && !n--)
            return t;
        at += (t->size + 7) & ~7u;
    }
    return 0;
}

u32 chooser(const u8 *information)
{
    struct processor p;
    u32 r[4];
    cpuid(0, r);
    p.maker = r[1];
    cpuid(1, r);
    p.features = r[2];
    cpuid(0x80000000, r);
    bool extended = r[0] >= 0x80000001 && r[0] >> 16 == 0x8000;
    cpuid(0x80000001, r);
    p.extended = extended ? r[2] : 0;
    const struct tag *kernel = module(information, kernel_for(&p));
    u32 entry = kernel ? load_elf((const u8 *)kernel->start, kernel->end - kernel->start, (u8 *)0) : 0;
    if (!entry)
        say("chooser: the kernel for this processor is not in the CD image\r\n");
    return entry;
}
