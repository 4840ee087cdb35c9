/* SPDX-License-Identifier: MIT */
/*
 * priv.c - privileged and odd instructions with random registers and prefixes.
 *
 * Each is written into a buffer after up to three prefixes, to test a hypervisor that must find an instruction's length
 * itself, and called. Values that would end this guest are changed, so that paging and PAE stay on.
 */
#include "hostile.h"

#define CR4_OSXSAVE (1ul << 18) /* without it XSETBV is undefined, and does not exit */
#define HAS_XSAVE   (1u << 26)

struct __attribute__((packed)) pointer {
    uint16_t limit;
    uint64_t base;
};

static uint64_t cr0, cr3, cr4;
static struct pointer gdt, idt;
static uint8_t code[64] __attribute__((aligned(64)));
uint64_t regs[6];

void priv_setup(void)
{
    __asm__ volatile("mov %%cr0, %0; mov %%cr4, %1" : "=r"(cr0), "=r"(cr4));
    if (arg_number("xcr0", 0) && cpuid(1, 0).ecx & HAS_XSAVE)
        __asm__ volatile("mov %0, %%cr4" : : "r"(cr4 |= CR4_OSXSAVE));
    cr3 = read_cr3();
    __asm__ volatile("sgdt %0; sidt %1" : "=m"(gdt), "=m"(idt));
}

static void restore_debug(void *unused)
{
    (void)unused;
    __asm__ volatile("mov %0, %%dr7; mov %1, %%dr6" : : "r"(0x400ul), "r"(0xffff0ff0ul));
}

void restore_cpu(void)
{
    __asm__ volatile("lgdt %0; lidt %1" : : "m"(gdt), "m"(idt));
    __asm__ volatile("mov %0, %%cr0; mov %1, %%cr4; mov %2, %%cr8" : : "r"(cr0), "r"(cr4), "r"(0ul));
    write_cr3(cr3);
    __asm__ volatile("mov %w0, %%ds; mov %w0, %%es; mov %w0, %%ss" : : "r"(0x10));
    while (guarded(restore_debug, NULL)) /* DR7.GD makes the first try fault */
        ;
}

/* The first byte is the length. Register forms use RAX, memory forms [RSI]. */
static const uint8_t templates[][6] = {
    { 3, 0x0f, 0x22, 0xc0 },       /* mov cr0, rax */
    { 3, 0x0f, 0x22, 0xd8 },       /* mov cr3, rax */
    { 3, 0x0f, 0x22, 0xe0 },       /* mov cr4, rax */
    { 3, 0x0f, 0x22, 0xd0 },       /* mov cr2, rax */
    { 3, 0x0f, 0x20, 0xc1 },       /* mov rcx, cr0 */
    { 3, 0x0f, 0x20, 0xe1 },       /* mov rcx, cr4 */
    { 4, 0x44, 0x0f, 0x22, 0xc0 }, /* mov cr8, rax */
    { 4, 0x44, 0x0f, 0x20, 0xc1 }, /* mov rcx, cr8 */
    { 3, 0x0f, 0x22, 0xc8 },       /* mov cr1, rax: none */
    { 3, 0x0f, 0x22, 0xf0 },       /* mov cr6, rax: none */
    { 3, 0x0f, 0x23, 0xc0 },       /* mov dr0, rax */
    { 3, 0x0f, 0x23, 0xd8 },       /* mov dr3, rax */
    { 3, 0x0f, 0x23, 0xf0 },       /* mov dr6, rax */
    { 3, 0x0f, 0x23, 0xf8 },       /* mov dr7, rax */
    { 3, 0x0f, 0x21, 0xf9 },       /* mov rcx, dr7 */
    { 3, 0x0f, 0x01, 0x16 },       /* lgdt [rsi] */
    { 3, 0x0f, 0x01, 0x1e },       /* lidt [rsi] */
    { 3, 0x0f, 0x01, 0x06 },       /* sgdt [rsi] */
    { 3, 0x0f, 0x01, 0x0e },       /* sidt [rsi] */
    { 3, 0x0f, 0x01, 0xf0 },       /* lmsw ax */
    { 3, 0x0f, 0x01, 0xe1 },       /* smsw ecx */
    { 3, 0x0f, 0x00, 0xd0 },       /* lldt ax */
    { 3, 0x0f, 0x00, 0xc1 },       /* sldt ecx */
    { 3, 0x0f, 0x00, 0xc9 },       /* str ecx */
    { 2, 0x0f, 0x06 },             /* clts */
    { 2, 0x0f, 0x08 },             /* invd */
    { 2, 0x0f, 0x09 },             /* wbinvd */
    { 3, 0x0f, 0x01, 0x3e },       /* invlpg [rsi] */
    { 3, 0x0f, 0x01, 0xd8 },       /* vmrun */
    { 3, 0x0f, 0x01, 0xd9 },       /* vmmcall */
    { 3, 0x0f, 0x01, 0xda },       /* vmload */
    { 3, 0x0f, 0x01, 0xdb },       /* vmsave */
    { 3, 0x0f, 0x01, 0xdc },       /* stgi */
    { 3, 0x0f, 0x01, 0xdd },       /* clgi */
    { 3, 0x0f, 0x01, 0xde },       /* skinit */
    { 3, 0x0f, 0x01, 0xdf },       /* invlpga */
    { 3, 0x0f, 0x01, 0xc1 },       /* vmcall, Intel's */
    { 3, 0x0f, 0x01, 0xc8 },       /* monitor */
    { 3, 0x0f, 0x01, 0xfa },       /* monitorx */
    { 3, 0x0f, 0x01, 0xc9 },       /* mwait */
    { 3, 0x0f, 0x01, 0xfb },       /* mwaitx */
    { 3, 0x0f, 0x01, 0xfc },       /* clzero */
    { 3, 0x0f, 0x01, 0xfd },       /* rdpru */
    { 3, 0x0f, 0x01, 0xfe },       /* invlpgb */
    { 3, 0x0f, 0x01, 0xff },       /* tlbsync */
    { 4, 0xf3, 0x0f, 0x01, 0xd9 }, /* vmgexit */
    { 2, 0xf3, 0x90 },             /* pause */
    { 3, 0x0f, 0x21, 0xc1 },       /* mov rcx, dr0 */
    { 4, 0x48, 0x0f, 0xae, 0x26 }, /* xsave64 [rsi] */
    { 4, 0x48, 0x0f, 0xae, 0x2e }, /* xrstor64 [rsi] */
    { 3, 0x0f, 0xae, 0x3e },       /* clflush [rsi] */
    { 2, 0x0f, 0x0e },             /* femms */
    { 1, 0xec },                   /* in al, dx */
    { 4, 0xf3, 0x0f, 0xae, 0xd0 }, /* wrfsbase eax */
    { 3, 0x0f, 0x01, 0xd0 },       /* xgetbv */
    { 3, 0x0f, 0x01, 0xd1 },       /* xsetbv */
    { 3, 0x0f, 0x01, 0xf8 },       /* swapgs */
    { 3, 0x0f, 0x01, 0xf9 },       /* rdtscp */
    { 3, 0x0f, 0x01, 0xca },       /* clac */
    { 2, 0x0f, 0x33 },             /* rdpmc */
    { 2, 0x0f, 0x31 },             /* rdtsc */
    { 2, 0x0f, 0xa2 },             /* cpuid */
    { 2, 0x0f, 0x34 },             /* sysenter */
    { 2, 0x0f, 0xaa },             /* rsm */
    { 2, 0x0f, 0x37 },             /* getsec */
    { 2, 0x0f, 0x0b },             /* ud2 */
    { 3, 0x0f, 0xff, 0xc0 },       /* ud0 */
    { 2, 0xf0, 0x90 },             /* lock nop */
    { 1, 0xf1 },                   /* icebp */
    { 1, 0xcc },                   /* int3 */
    { 2, 0xcd, 0x80 },             /* int 0x80 */
    { 2, 0x50, 0x9d },             /* push rax; popf */
    { 2, 0x8e, 0xd8 },             /* mov ds, eax */
    { 2, 0x8e, 0xe0 },             /* mov fs, eax */
    { 2, 0x8e, 0xe8 },             /* mov gs, eax */
    { 1, 0xfa },                   /* cli */
    { 4, 0x66, 0x0f, 0x38, 0x82 }, /* invpcid's opcode; the bytes that follow are its operand */
};

static void call_code(void *unused)
{
    (void)unused;
    __asm__ volatile(
        "mov %0, %%r8\n mov (%%r8), %%rax\n mov 8(%%r8), %%rcx\n mov 16(%%r8), %%rdx\n mov 24(%%r8), %%rbx\n"
        "mov 32(%%r8), %%rsi\n mov 40(%%r8), %%rdi\n call *%1"
        :
        : "r"(regs), "r"((uintptr_t)code)
        : "rax", "rcx", "rdx", "rbx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
}

/*
 * Returns a value for control register `which` (ModRM of the template) that keeps long mode and paging. Reserved bits
 * of CR3 and CR4 are set only with reserved=1: the CPU should raise #GP, but QEMU's TCG ends the guest with
 * VMEXIT_INVALID, and hangs without a hypervisor.
 */
static uint64_t bent(uint8_t which)
{
    uint64_t high = one_in(4) ? odd_number() & ~0xffffffffull : 0;
    bool reserved = arg_number("reserved", 0);
    if (which == 0xc0)
        return (cr0 ^ (rnd() & 0x6005002e)) | high;
    if (which == 0xd8)
        return cr3 | (rnd() & 0x18) | (reserved ? high & 0xfff0000000000000 : 0);
    return ((cr4 ^ (rnd() & (reserved ? 0x3fefff : 0x3507ff))) | 0x20) | (reserved ? high : 0);
}

unsigned random_instruction(uint8_t *to)
{
    static const uint8_t prefixes[] = { 0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0x48, 0x40 };
    const uint8_t *t = templates[below(sizeof(templates) / sizeof(templates[0]))];
    bool control = t[1] == 0x0f && t[2] == 0x22;
    unsigned n = 0;
    for (unsigned p = control ? 0 : below(4); p > 0; p--)
        to[n++] = prefixes[below(sizeof(prefixes))];
    memcpy(to + n, t + 1, t[0]);
    if (control && (t[3] == 0xc0 || t[3] == 0xd8 || t[3] == 0xe0))
        regs[0] = bent(t[3]);
    if (t[1] == 0x50)
        regs[0] &= ~(1ull << 14 | 1ull << 17); /* NT and VM would stay set after the step */
    if (t[1] == 0xec)
        regs[2] = 0x80; /* a port without a device */
    return n + t[0];
}

void random_registers(void)
{
    for (unsigned i = 0; i < 6; i++)
        regs[i] = odd_number();
    regs[4] = SINK + (below(SINK_SIZE - 8192) & ~63ull);
}

int step_priv(void)
{
    random_registers();
    unsigned n = random_instruction(code);
    memset(code + n, 0xc3, sizeof(code) - n);
    int fault = guarded(call_code, NULL);
    restore_cpu();
    return fault;
}
