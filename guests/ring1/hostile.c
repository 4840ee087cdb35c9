/* SPDX-License-Identifier: MIT */
/*
 * hostile.c - a guest in ring 1 that does random things: calls, privileged instructions, descriptors, page tables,
 * selectors, flags, and code of random bytes, in ring 1 and in ring 3. After each it puts its tables right again, as
 * far as they are left. A life ends when that fails, when it loops without interrupts (its watchdog), or after some
 * steps, at most STEPS; then another one begins.
 */
#include "ring1.h"

#define STEPS      24u
#define CODE       (USER + 0x40000) /* where code of random bytes goes, pages that programs may use */
#define CODE_BYTES 256u
#define IRET       0xcf
#define VM         0x20000u
#define AWAY       400000u /* ticks after which code that does not end is left */

static uint32_t seed, step_number, ended[64];
static void *resume[5];
static volatile bool armed;

static uint32_t some(uint32_t below) { return random_next(&seed) % below; }

/* An address that is often one of the guest's, sometimes one of ours, sometimes any. */
static uint32_t address(void)
{
    switch (some(8)) {
    case 0: return random_next(&seed);
    case 1: return 0xffc00000 + some(0x5000);
    case 2: return some(0x2000);
    default: return some(9u << 20);
    }
}

static void handler(struct trap *t)
{
    if (!armed)
        return;
    armed = false;
    ended[t->vector & 63]++;
    __builtin_longjmp(resume, 1);
}

static void random_call(void)
{
    uint32_t number = AMALGAM_EVENTS + some(10); /* all but the end */
    if (some(16) == 0)
        number = random_next(&seed);
    if (number == AMALGAM_OFF || number == AMALGAM_CONSOLE_WRITE || number == 0x414d0003)
        return;
    if (number == AMALGAM_IRET && some(4))
        return;
    amalgam_call(number, address(), some(3) ? some(100) : random_next(&seed), some(3) ? some(3) : random_next(&seed));
}

static void random_descriptors(void)
{
    static uint64_t table[32];
    struct {
        uint16_t limit;
        uint32_t base;
    } __attribute__((packed))
    g = { (uint16_t)(some(2) ? 0xff : random_next(&seed)), some(4) ? (uint32_t)table : address() };
    for (unsigned i = 0; i < 32; i++) {
        table[i] = (uint64_t)random_next(&seed) << 32 | random_next(&seed);
        if (some(2))
            table[i] = 0x00cf90000000ffffull | (uint64_t)some(256) << 40;
    }
    table[2] = 0x00cf9b000000ffffull;
    table[3] = 0x00cf93000000ffffull;
    __asm__ volatile("lgdt %0" ::"m"(g));
    uint32_t selector = some(0x120);
    if (some(2))
        __asm__ volatile("mov %0, %%fs" ::"r"(selector));
    if (some(2))
        __asm__ volatile("mov %0, %%es" ::"r"(selector | some(4)));
    if (some(8) == 0)
        __asm__ volatile("mov %0, %%ss" ::"r"(selector));
}

static void random_pages(void)
{
    for (unsigned i = 0; i < 32; i++)
        *ring1_entry(USER_END + some(0x200000)) =
            some(3) ? (some(16u << 20) & ~0xfffu) | some(0x200) : random_next(&seed);
    for (unsigned i = 0; i < 8; i++) {
        volatile uint8_t *at = (uint8_t *)(USER_END + some(0x200000));
        if (some(2))
            *at = (uint8_t)some(256);
        else
            (void)*at;
        if (some(3) == 0)
            ring1_invalidate((uint32_t)at);
    }
}

/* Gates of random kinds, with selectors that are often ours, and one of them taken. */
static void random_gates(void)
{
    static uint32_t table[256][2];
    struct {
        uint16_t limit;
        uint32_t base;
    } __attribute__((packed)) i = { sizeof(table) - 1, (uint32_t)table };
    for (unsigned n = 0; n < 256; n++) {
        uint32_t selector = some(2) ? 0x10 : some(2) ? 0x100 + some(0x20) : random_next(&seed) & 0xffff, to = address();
        table[n][0] = selector << 16 | (to & 0xffff);
        table[n][1] = (to & 0xffff0000) | 0x8e00 | some(4) << 13 | (some(8) ? 0 : some(0x100) << 8);
    }
    __asm__ volatile("lidt %0" ::"m"(i));
    switch (some(3)) {
    case 0: __asm__ volatile("int $0x80"); break;
    case 1: __asm__ volatile("int $0x40"); break;
    default: __asm__ volatile("ud2");
    }
}

/* IRET by a frame of random words. QEMU goes into virtual 8086 mode from any ring, with the real interrupt flag as the
 * frame has it, and who has cleared that keeps the processor: not this guest's doing, so it does not. */
static void random_return(void)
{
    uint32_t frame[9] = { some(2) ? CODE + some(16) : address(), some(2) ? 0x11 : random_next(&seed),
                          random_next(&seed) };
    if (some(2))
        frame[1] = some(2) ? 0x73 : 0x100 + some(4);
    if (frame[2] & VM)
        frame[2] |= 0x200;
    for (unsigned i = 3; i < 9; i++)
        frame[i] = some(2) ? address() : random_next(&seed);
    __asm__ volatile("mov %0, %%esp; iret" ::"r"(frame) : "memory");
}

static void random_control(void)
{
    uint32_t value = some(2) ? 0x80010011 ^ 1u << some(32) : random_next(&seed);
    switch (some(8)) {
    case 0: __asm__ volatile("mov %0, %%cr4" ::"r"(some(0x100))); break;
    case 1: __asm__ volatile("mov %0, %%cr3" ::"r"(address())); break;
    case 2: __asm__ volatile("mov %0, %%cr0" ::"r"(value)); break;
    case 3: __asm__ volatile("push %0; popf" ::"r"(random_next(&seed) & ~0x100u) : "cc"); break;
    case 4: __asm__ volatile("ltr %w0" ::"r"(some(0x40))); break;
    case 5: random_gates(); break;
    case 6: random_return(); break;
    default: {
        struct {
            uint16_t limit;
            uint32_t base;
        } __attribute__((packed)) i = { (uint16_t)random_next(&seed), address() };
        __asm__ volatile("lidt %0; int3" ::"m"(i));
    }
    }
}

/* Random bytes, with instructions among them that matter. */
static void random_code(bool program)
{
    static const uint8_t known[][3] = {
        { 0xfa },
        { 0xfb },
        { 0x9d },
        { 0xcd, 0x82 },
        { 0xcd, 0x80 },
        { 0xcd, 0x84 },
        { 0x0f, 0x22, 0xd8 },
        { 0x0f, 0x22, 0xc0 },
        { 0x0f, 0x00, 0xd8 },
        { 0x8e, 0xd0 },
        { 0x8e, 0xd8 },
        { 0x07 },
        { 0x0f, 0xa1 },
        { 0xcb },
        { 0x1f },
        { 0x17 },
        { 0x0f, 0x01, 0x38 },
        { 0xfd },
        { 0x9c },
        { 0xcc },
        { 0xf4 },
        { 0xee },
        { 0xec },
    };
    uint8_t *to = (uint8_t *)CODE;
    for (unsigned i = 0; i < CODE_BYTES; i++)
        to[i] = (uint8_t)some(256);
    for (unsigned i = 0; i < 24; i++) {
        const uint8_t *from = known[some(sizeof(known) / sizeof(*known))];
        unsigned at = some(CODE_BYTES - 3);
        for (unsigned k = 0; k < 3; k++)
            to[at + k] = from[k];
    }
    for (unsigned i = 0; i < CODE_BYTES; i++)
        if (to[i] == IRET) /* random_return() */
            to[i] = 0x90;
    amalgam_timer(AWAY);
    AMALGAM_SHARED(AMALGAM_SHARE_FLAG) = 0x200;
    if (program)
        ring1_program(CODE + some(16), USER + 0x10000);
    uint32_t value = address();
    __asm__ volatile("mov %0, %%ebx; mov %0, %%ecx; mov %0, %%edx; mov %0, %%esi; jmp *%1" ::"r"(value),
                     "r"(CODE + some(16))
                     : "ebx", "ecx", "edx", "esi", "memory");
}

static void one(void)
{
    switch (some(8)) {
    case 0: random_descriptors(); break;
    case 1: random_pages(); break;
    case 2: random_control(); break;
    case 3: random_code(true); break;
    case 4:
    case 5: random_code(false); break;
    default: random_call();
    }
}

int main(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    seed = (low ^ high) | 1;
    print("hostile: seed %x\n", seed);
    ring1_tables();
    ring1_handler = handler;
    for (uint32_t steps = 1 + some(STEPS); step_number < steps;) {
        step_number++;
        amalgam_call(YIELD, 0, 0, 0); /* a sign of life, for the watchdog */
        if (!__builtin_setjmp(resume)) {
            armed = true;
            one();
        }
        armed = false;
        amalgam_timer(0);
        AMALGAM_SHARED(AMALGAM_SHARE_MASK) = 0;
        __asm__ volatile("mov %0, %%cr0" ::"r"(0x11)); /* no paging while the tables are put right */
        ring1_tables();
        __asm__ volatile("cld; mov %0, %%ds; mov %0, %%es; mov %0, %%ss" ::"r"(0x18));
    }
    print("hostile: %u steps; page faults %u, protection %u, undefined %u, time %u\n", step_number, ended[14],
          ended[13], ended[6], ended[48]);
    amalgam_off(1);
    return 0;
}
