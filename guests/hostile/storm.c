/* SPDX-License-Identifier: MIT */
/*
 * storm.c - attacks on time: one action for ever, as often and as expensive as a guest can make it. A neighbour in
 * another window must not notice.
 */
#include "hostile.h"

#define IOAPIC 0xfec00000ul
#define INPUTS 48
#define VECTOR 0x60
#define SLOT   0xd0000000ul
#define CHAIN  30 /* descriptors of the longest chain that a block device takes */

static void on_tick(struct trap_frame *f)
{
    (void)f;
    apic_eoi();
}

static void route(unsigned input, uint32_t low)
{
    mmio_write(IOAPIC, 0x10 + 2 * input + 1);
    mmio_write(IOAPIC + 0x10, apic_id() << 24);
    mmio_write(IOAPIC, 0x10 + 2 * input);
    mmio_write(IOAPIC + 0x10, low);
}

static void sleep_for_ever(void)
{
    for (;;)
        wait_irq();
}

static void deadline(void)
{
    apic_write(0x320, 0x40000 | VECTOR);
    for (;;) {
        wrmsr(MSR_TSC_DEADLINE, 1);
        wait_irq();
    }
}

/* Set the timer as far ahead as the counter reaches, more than half of its range: it expires after the test. */
static void far_deadline(void)
{
    apic_write(0x320, 0x40000 | VECTOR);
    wrmsr(MSR_TSC_DEADLINE, ~0ul - 1);
    sleep_for_ever();
}

static void periodic_setup(void)
{
    apic_write(0x3e0, 0xb);
    apic_write(0x320, 0x20000 | VECTOR);
    apic_write(0x380, 1);
}

static void periodic(void)
{
    periodic_setup();
    sleep_for_ever();
}

/* With interrupts off on all processors no interrupt is taken. */
static void deaf_cpu(void)
{
    periodic_setup();
    for (;;)
        ;
}

static void deaf(void)
{
    for (unsigned i = 1; i < MAX_CPUS && smp_start(i, deaf_cpu); i++)
        ;
    deaf_cpu();
}

static void pit(void)
{
    route(2, VECTOR);
    outb(0x43, 0x34);
    outb(0x40, 1);
    outb(0x40, 0);
    sleep_for_ever();
}

static void rtc(void)
{
    route(8, VECTOR);
    outb(0x70, 0xa);
    outb(0x71, 0x23);
    outb(0x70, 0xb);
    outb(0x71, 0x42);
    for (;;) {
        outb(0x70, 0xc);
        inb(0x71);
        wait_irq();
    }
}

/* A level-triggered input whose line never falls. */
static void level(void)
{
    route(3, VECTOR | 1 << 15);
    outb(0x2fc, 8);
    outb(0x2f9, 2);
    sleep_for_ever();
}

static void spin(void)
{
    for (;;)
        ;
}

/* All inputs are level-triggered, active and for all vCPUs: each EOI sends all of them again. */
static void eoi(void)
{
    for (unsigned i = 1; i < MAX_CPUS && smp_start(i, spin); i++)
        ;
    for (unsigned i = 0; i < INPUTS; i++) {
        mmio_write(IOAPIC, 0x11 + 2 * i);
        mmio_write(IOAPIC + 0x10, 0xff000000);
        mmio_write(IOAPIC, 0x10 + 2 * i);
        mmio_write(IOAPIC + 0x10, VECTOR | 1 << 13 | 1 << 15);
    }
    for (;;)
        mmio_write(IOAPIC + 0x40, VECTOR);
}

static void ipi(void)
{
    for (;;) {
        apic_ipi(0, 0x80000 | 0x4000 | VECTOR);
        irq_on();
        apic_ipi(0, 0xc0000 | 0x4400); /* NMI to the others */
        irq_off();
    }
}

static void caches(void)
{
    for (;;)
        __asm__ volatile("wbinvd; invd" : : : "memory");
}

static void exits(void)
{
    for (;;) {
        cpuid(1, 0);
        rdmsr(MSR_APIC_BASE);
        inb(0x80);
        mmio_read(0xc0000000);
        __asm__ volatile("vmmcall" : : "a"(0x414d0000));
    }
}

static void strings(void)
{
    for (;;) {
        uint64_t count = ~0ull >> 1, from = SINK, to = 0xc0000000;
        __asm__ volatile("rep movsb" : "+c"(count), "+S"(from), "+D"(to) : : "memory");
    }
}

static void ports(void)
{
    for (;;) {
        uint64_t count = 0x100000, to = SINK;
        __asm__ volatile("rep insb" : "+c"(count), "+D"(to) : "d"(0x80) : "memory");
    }
}

/*
 * Give a block device a ring of requests that it refuses, in chains of the longest length that it takes: reading all
 * the descriptors costs time. Volatile, because the compiler would omit stores that it sees no reader of.
 */
static void descriptors(void)
{
    volatile struct {
        uint64_t address;
        uint32_t length;
        uint16_t flags, next;
    } *d = (void *)(SINK);
    volatile uint16_t *avail = (void *)(SINK + 0x1000), *used = (void *)(SINK + 0x2000);
    for (unsigned i = 0; i < CHAIN; i++) {
        d[i].address = i ? 0x200000 : SINK + 0x4000;
        d[i].length = i ? 0x1c00000 : 16;
        d[i].flags = i < CHAIN - 1 ? (i ? 3 : 1) : 2;
        d[i].next = (uint16_t)(i + 1);
    }
    *(volatile uint64_t *)(SINK + 0x4000) = 0; /* a read; its sector is far beyond the end */
    *(volatile uint64_t *)(SINK + 0x4008) = 1ull << 40;
    mmio_write(SLOT + 0x70, 0);
    mmio_write(SLOT + 0x70, 3);
    mmio_write(SLOT + 0x24, 1);
    mmio_write(SLOT + 0x20, 1);
    mmio_write(SLOT + 0x70, 11);
    mmio_write(SLOT + 0x30, 0);
    mmio_write(SLOT + 0x38, 256);
    mmio_write(SLOT + 0x80, SINK);
    mmio_write(SLOT + 0x90, SINK + 0x1000);
    mmio_write(SLOT + 0xa0, SINK + 0x2000);
    mmio_write(SLOT + 0x44, 1);
    mmio_write(SLOT + 0x70, 15);
    for (unsigned i = 0; i < 256; i++)
        avail[2 + i] = 0;
    for (uint16_t n = 256;; n = (uint16_t)(n + 256)) {
        avail[1] = n;
        mmio_write(SLOT + 0x50, 0);
        if (used[1] != n)
            break;
    }
    print("hostile: the device does not serve its queue\n");
    sleep_for_ever();
}

static void say(int byte)
{
    memset((void *)SINK, byte, 4096);
    for (;;) {
        int64_t result = 0x414d0003;
        __asm__ volatile("vmmcall" : "+a"(result) : "b"(SINK), "c"(4096ul), "D"(SINK), "S"(4096ul) : "memory");
    }
}

static void talk(void) { say('x'); }
static void lines(void) { say('\n'); } /* each a line of its own on the human port, with the domain's name */
static void tags(void) { say(0xff); }  /* each two bytes on the tagged channel */

/* The same from a device, which holds the console for a whole piece. */
static void serial(int byte)
{
    memset((void *)SINK, byte, 4096);
    for (;;) {
        uint64_t count = 4096, from = SINK;
        __asm__ volatile("rep outsb" : "+c"(count), "+S"(from) : "d"(0x3f8) : "memory");
    }
}

static void serial_lines(void) { serial('\n'); }
static void serial_tags(void) { serial(0xff); }

/* Print a line without an end: the port keeps a part and hands it over later, perhaps in another window. */
static void dribble(void)
{
    for (;;)
        outb(0x3f8, 'x');
}

/* Code that changes its own next instruction. */
static void rewrite(void)
{
    volatile uint8_t *code = (volatile uint8_t *)SINK;
    code[0] = 0x90;
    code[1] = 0xc3;
    for (uint8_t n = 0;; n++) {
        code[0] = 0x90 + n % 4; /* nop, xchg eax with ecx, edx, ebx */
        __asm__ volatile("call *%0" : : "r"(code) : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "memory");
    }
}

static void debug(void)
{
    for (;;) { /* breakpoints on the kernel's addresses, single steps */
        __asm__ volatile("mov %0, %%dr0; mov %0, %%dr1; mov %1, %%dr7" : : "r"(0xd00000ul), "r"(0x6ul | 0x700ul));
        __asm__ volatile("pushfq; orl $0x100, (%%rsp); popfq; nop" : : : "memory", "cc");
    }
}

static void fault(void)
{
    struct __attribute__((packed)) {
        uint16_t limit;
        uint64_t base;
    } none = { 0, 0 };
    __asm__ volatile("lidt %0; ud2" : : "m"(none));
}

void storm(const char *name)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } storms[] = {
        { "deadline", deadline },
        { "far-deadline", far_deadline },
        { "periodic", periodic },
        { "deaf", deaf },
        { "pit", pit },
        { "rtc", rtc },
        { "level", level },
        { "eoi", eoi },
        { "ipi", ipi },
        { "caches", caches },
        { "exits", exits },
        { "strings", strings },
        { "ports", ports },
        { "descriptors", descriptors },
        { "talk", talk },
        { "lines", lines },
        { "tags", tags },
        { "serial-lines", serial_lines },
        { "serial-tags", serial_tags },
        { "dribble", dribble },
        { "rewrite", rewrite },
        { "debug", debug },
        { "fault", fault },
        { "reset", machine_reset },
    };
    for (unsigned i = 0; i < sizeof(storms) / sizeof(storms[0]); i++)
        if (text_equal(name, storms[i].name)) {
            trap_install(VECTOR, on_tick);
            print("hostile: storm %s\n", name);
            storms[i].run();
        }
    print("hostile: no such storm\n");
}
