/* SPDX-License-Identifier: MIT */
/*
 * user.c - the same attacks from ring 3: privileged instructions, hypercalls, ports, MSRs and device memory, which that
 * privilege level does not allow. Each step ends with an exception, by UD2 if there was no other.
 */
#include "hostile.h"

#define CODE  (SINK + 0x1f0000)
#define STACK (SINK + 0x1f8000)
#define USER  4ull /* page table entries' user bit */

static uint64_t gdt[4 + 2 * MAX_CPUS + 2];
static uint16_t user_code, user_data;

struct __attribute__((packed)) pointer {
    uint16_t limit;
    uint64_t base;
};

/* Open memory from the sink on to ring 3. The image below stays closed, because SMEP would forbid the kernel to execute
 * it. */
static void open_tables(uint64_t *table, unsigned level, uint64_t address)
{
    for (uint64_t i = 0; i < 512; i++, address += 1ull << (9 * level + 3)) {
        if (!(table[i] & 1) || (level == 2 && address < SINK))
            continue;
        table[i] |= USER;
        if (level > 2)
            open_tables((uint64_t *)(table[i] & ~0xfffull), level - 1, address);
    }
}

void user_setup(void)
{
    extern uint64_t pml4[512];
    struct pointer p;
    __asm__ volatile("sgdt %0" : "=m"(p));
    unsigned n = (p.limit + 1) / 8;
    memcpy(gdt, (void *)p.base, p.limit + 1);
    gdt[n] = 0x00cff3000000ffff;
    gdt[n + 1] = 0x00affb000000ffff;
    user_data = n * 8 | 3;
    user_code = (n + 1) * 8 | 3;
    p = (struct pointer){ (n + 2) * 8 - 1, (uintptr_t)gdt };
    __asm__ volatile("lgdt %0" : : "m"(p));
    open_tables(pml4, 4, 0);
    write_cr3(read_cr3());
}

static void enter_user(void *unused)
{
    (void)unused;
    __asm__ volatile("push %0\n push %1\n push $2\n push %2\n push %3\n mov %4, %%r8\n"
                     "mov (%%r8), %%rax\n mov 8(%%r8), %%rcx\n mov 16(%%r8), %%rdx\n mov 24(%%r8), %%rbx\n"
                     "mov 32(%%r8), %%rsi\n mov 40(%%r8), %%rdi\n iretq"
                     :
                     : "r"((uint64_t)user_data), "r"(STACK), "r"((uint64_t)user_code), "r"(CODE), "r"(regs)
                     : "memory");
}

int step_user(void)
{
    static const uint8_t calls[][4] = {
        { 3, 0x0f, 0x01, 0xd9 }, /* vmmcall */
        { 3, 0x0f, 0x01, 0xc1 }, /* vmcall */
        { 2, 0x0f, 0x32 },       /* rdmsr */
        { 2, 0x0f, 0x30 },       /* wrmsr */
        { 1, 0xee },             /* out dx, al */
        { 1, 0x6c },             /* insb */
        { 1, 0xf4 },             /* hlt */
        { 1, 0xfb },             /* sti */
        { 2, 0xff, 0x37 },       /* push [rdi] */
        { 3, 0x0f, 0xc7, 0x0f }, /* cmpxchg8b [rdi] */
        { 2, 0x89, 0x07 },       /* mov [rdi], eax */
        { 2, 0x8b, 0x07 },       /* mov eax, [rdi] */
        { 2, 0xf3, 0xa4 },       /* rep movsb */
    };
    uint8_t *code = (uint8_t *)CODE;
    unsigned n;
    random_registers();
    if (one_in(2)) {
        n = random_instruction(code);
    } else {
        const uint8_t *t = calls[below(sizeof(calls) / sizeof(calls[0]))];
        n = t[0];
        memcpy(code, t + 1, n);
        if (t[1] == 0x0f && t[2] == 0x01)
            regs[0] = one_in(2) ? 0x414d0000 + below(12) : odd_number();
        regs[1] = one_in(2) || t[1] == 0xf3 ? below(300) : odd_number();
        regs[5] = odd_address(); /* rdi */
        if (regs[5] < SINK)
            regs[5] += SINK;
    }
    for (unsigned i = 0; i < 8; i++)
        code[n++] = i % 2 ? 0x0b : 0x0f; /* ud2 */
    int fault = guarded(enter_user, NULL);
    restore_cpu();
    return fault;
}
