/* SPDX-License-Identifier: MIT */
/* io.c - random ports, device registers, MSRs and hypercalls. */
#include "hostile.h"

/* --- ports ------------------------------------------------------------------- */
static struct {
    uint16_t port;
    uint8_t size, write, string;
    uint32_t value;
    uint64_t address; /* memory operand of a string instruction; sometimes not in memory */
} pio;

static void do_pio(void *unused)
{
    (void)unused;
    uint64_t count = pio.string, address = pio.address;
    if (pio.string && pio.write)
        __asm__ volatile("rep outsb" : "+c"(count), "+S"(address) : "d"(pio.port) : "memory");
    else if (pio.string)
        __asm__ volatile("rep insb" : "+c"(count), "+D"(address) : "d"(pio.port) : "memory");
    else if (pio.size == 1)
        pio.write ? outb(pio.port, pio.value) : (void)inb(pio.port);
    else if (pio.size == 2)
        pio.write ? outw(pio.port, pio.value) : (void)inw(pio.port);
    else
        pio.write ? outl(pio.port, pio.value) : (void)inl(pio.port);
}

/* Returns whether a write to the port would spoil the run: the guest's console, power-off, and three ways to reset. */
static bool ends_us(uint16_t port, unsigned size)
{
    static const uint16_t spared[][2] = {
        { 0x3f8, 0x3ff }, { 0x604, 0x605 }, { 0xcf9, 0xcf9 }, { 0x64, 0x64 }, { 0x92, 0x92 }
    };
    for (unsigned i = 0; i < sizeof(spared) / sizeof(spared[0]); i++)
        if (port <= spared[i][1] && port + size - 1 >= spared[i][0])
            return true;
    return false;
}

/* Returns an address for a string of bytes that does no damage to this guest: in a device, in a hole, unmapped or
 * non-canonical. */
static uint64_t far_address(void)
{
    uint64_t a = odd_address();
    return one_in(4) ? a << below(40) | 1ull << 63 : a < SINK ? SINK : a;
}

int step_pio(void)
{
    static const uint16_t places[] = { 0x20, 0x40, 0x60, 0x70, 0xa0, 0x2f8, 0x4d0, 0x600, 0x606, 0xcf8, 0xcfc, 0xfffc };
    pio.size = 1 << below(3);
    do
        pio.port = one_in(2) ? rnd() : places[below(sizeof(places) / sizeof(places[0]))] + below(16);
    while (ends_us(pio.port, 4));
    pio.write = below(2);
    pio.string = one_in(8) ? below(200) : 0;
    pio.value = odd_number();
    pio.address = one_in(4) ? far_address() : SINK;
    return guarded(do_pio, NULL);
}

/* --- device registers and holes ------------------------------------------------- */
static uint64_t mmio_at, mmio_value;

/* Map 2 MiB around `gpa`, which is above 4 GiB, at 512 GiB. Returns the address there. */
static uint64_t window_for(uint64_t gpa)
{
    extern uint64_t pml4[512];
    static uint64_t pdpt[512] __attribute__((aligned(4096))), directory[512] __attribute__((aligned(4096)));
    pml4[1] = (uintptr_t)pdpt | 3;
    pdpt[0] = (uintptr_t)directory | 3;
    directory[0] = (gpa & 0xffffffe00000) | 0x83;
    __asm__ volatile("invlpg %0" : : "m"(*(char *)(1ul << 39)));
    return (1ul << 39) + (gpa & 0x1fffff);
}

#define FORM(text) __asm__ volatile(text : "+a"(v), "+D"(p), "+S"(p2), "+c"(n) : : "rdx", "memory", "cc")
static void do_mmio(void *form)
{
    uint64_t v = mmio_value, p = mmio_at, p2 = SINK, n = 4;
    switch ((uintptr_t)form) {
    case 0: FORM("movb %%al, (%%rdi)"); break;
    case 1: FORM("movw %%ax, (%%rdi)"); break;
    case 2: FORM("movl %%eax, (%%rdi)"); break;
    case 3: FORM("movq %%rax, (%%rdi)"); break;
    case 4: FORM("movb (%%rdi), %%al"); break;
    case 5: FORM("movl (%%rdi), %%eax"); break;
    case 6: FORM("movq (%%rdi), %%rax"); break;
    case 7: FORM("movzbl (%%rdi), %%eax"); break;
    case 8: FORM("movswq (%%rdi), %%rax"); break;
    case 9: FORM("movl $0x12345678, (%%rdi)"); break;
    case 10: FORM("movb $1, 3(%%rdi)"); break;
    case 11: FORM("orl %%eax, (%%rdi)"); break;
    case 12: FORM("lock addl %%eax, (%%rdi)"); break;
    case 13: FORM("xchgl %%eax, (%%rdi)"); break;
    case 14: FORM("lock cmpxchgl %%ecx, (%%rdi)"); break;
    case 15: FORM("stosl"); break;
    case 16: FORM("rep stosl"); break;
    case 17: FORM("movsl"); break;
    case 18: FORM("xchg %%rsi, %%rdi; lodsl"); break;
    case 19: FORM("testl %%eax, (%%rdi)"); break;
    case 20: FORM("incl (%%rdi)"); break;
    case 21: FORM("btsl %%eax, (%%rdi)"); break;
    case 22: FORM("movnti %%rax, (%%rdi)"); break;
    case 23: FORM("std; movsl; cld"); break;
    case 24:
        n = 200;
        FORM("rep movsb");
        break;
    case 25:
        n = 200;
        FORM("xchg %%rsi, %%rdi; rep movsq");
        break;
    case 26:
        p2 = mmio_value;
        FORM("rep movsl");
        break; /* from any address */
    /* From here on instructions that the hypervisor does not decode, and code in a device: these end this run. */
    case 27: FORM("push (%%rdi); pop %%rdx"); break;
    case 28: FORM("fnsave (%%rdi)"); break;
    case 29: FORM("cmpxchg8b (%%rdi)"); break;
    case 30: FORM("invlpg (%%rdi); lgdt (%%rdi)"); break;
    default: FORM("call *%%rdi"); break;
    }
}
#define MMIO_FORMS        27
#define MMIO_DEADLY_FORMS 5

int step_mmio(void)
{
    uint64_t gpa = odd_address();
    mmio_value = odd_number();
    if ((gpa & ~0xfffull) == 0xfee00000 && (gpa & 0xff0) > 0x2f0 && (gpa & 0xff0) < 0x320)
        gpa += 0x20; /* not the interrupt command register: an INIT to itself would end this guest */
    if (gpa < SINK)
        gpa = SINK + gpa % SINK_SIZE;
    mmio_at = gpa < 1ull << 32 ? gpa : window_for(gpa);
    uint64_t form = deadly() ? MMIO_FORMS + below(MMIO_DEADLY_FORMS) : below(MMIO_FORMS);
    return guarded(do_mmio, (void *)form);
}

/* --- model-specific registers ------------------------------------------------------ */
static uint32_t msr;
static uint64_t msr_value;

static void do_rdmsr(void *unused)
{
    (void)unused;
    rdmsr(msr);
}

static void do_wrmsr(void *unused)
{
    (void)unused;
    wrmsr(msr, msr_value);
}

int step_msr(void)
{
    static const uint32_t bases[] = { 0,          0x10,       0x170,      0x200,      0x270,      0x400,
                                      0x6e0,      0x800,      0xd90,      0x40000000, 0x4b564d00, 0xc0000080,
                                      0xc0000100, 0xc0010000, 0xc0010100, 0xc0011020 };
    msr = one_in(8) ? rnd() : bases[below(sizeof(bases) / sizeof(bases[0]))] + below(32);
    msr_value = one_in(2) ? odd_number() : odd_address() | below(4);
    if (below(2))
        return guarded(do_rdmsr, NULL);
    if (msr == 0x830) /* x2APIC's interrupt command register: neither INIT nor STARTUP to itself */
        msr_value &= ~0x700ull;
    if (msr == MSR_EFER)
        msr_value |= 0x500; /* keep long mode */
    if (msr == MSR_APIC_BASE)
        msr_value = (msr_value & ~0xfff00ull) | 0xfee00900;
    int fault = guarded(do_wrmsr, NULL);
    if (msr ==
        0x277) /* PAT: random memory types are allowed, but would make the rest of the run very slow on silicon */
        wrmsr(0x277, 0x0007040600070406);
    return fault;
}

/* --- hypercalls --------------------------------------------------------------------- */
static uint64_t call[7];

static void do_hypercall(void *unused)
{
    (void)unused;
    __asm__ volatile("mov 48(%0), %%r10\n mov (%0), %%rax\n mov 8(%0), %%rbx\n mov 16(%0), %%rcx\n mov 24(%0), %%rdx\n"
                     "mov 32(%0), %%rsi\n mov 40(%0), %%rdi\n vmmcall"
                     :
                     : "r"(call)
                     : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r10", "memory");
}

int step_hypercall(void)
{
    for (unsigned i = 1; i < 7; i++)
        call[i] = one_in(2) ? below(12) : one_in(2) ? odd_number() : odd_address();
    switch (below(8)) {
    case 0: call[0] = odd_number(); break;
    case 1:
        call[0] = below(13); /* KVM's */
        if (call[0] == 10)
            call[4] &= ~0x700ull; /* SEND_IPI: no INIT to itself */
        break;
    default: call[0] = 0x414d0000 + (one_in(8) ? rnd() & 0xffff : below(12));
    }
    return guarded(do_hypercall, NULL);
}
