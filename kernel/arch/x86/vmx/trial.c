/* SPDX-License-Identifier: MIT */
/*
 * trial.c - a guest of nine instructions in real mode, in one page of nested memory: what it exits for, with the length
 * of each instruction, is what the manual has (Intel SDM vol. 3, 26.1, 28.2.5, appendix C).
 */
#include <arch/cpu.h>
#include <arch/trap.h>
#include <arch/vmcs.h>
#include <core/cpu.h>
#include <core/frames.h>
#include <errors.h>
#include <hal/memory.h>
#include <string.h>
#include "state.h"

#define BEGIN     0x100 /* of the program, in guest-physical page 0 */
#define NO_MEMORY 0x1000
#define EPT_ALL   7ul /* read, write, execute */
#define RBX       3
#define R15       15
#define MARK      0x5aa5123489abcdeful
#define MOST      1000 /* interrupts of the host in between */

static const u8 program[] = {
    0xbb, 0x34, 0x12, /* mov $0x1234, %bx */
    0x0f, 0xa2,       /* cpuid */
    0x67, 0x0f, 0xa2, /* cpuid with a prefix that changes nothing */
    0xe6, 0x80,       /* out %al, $0x80 */
    0xe4, 0x81,       /* in $0x81, %al */
    0x0f, 0x32,       /* rdmsr */
    0x0f, 0x01, 0xc1, /* vmcall */
    0xa3, 0x00, 0x10, /* mov %ax, NO_MEMORY */
    0xf4,             /* hlt */
};

enum { CPUID = 10, HLT = 12, VMCALL = 18, PORT = 30, RDMSR = 31, EPT_VIOLATION = 48, INTERRUPT = 1 };

/* The exits in their order, and how long the instruction is. The processor says no length for an EPT violation. */
static const struct {
    u8 reason, length;
} want[] = { { CPUID, 2 }, { CPUID, 3 },  { PORT, 2 },          { PORT, 2 },
             { RDMSR, 2 }, { VMCALL, 3 }, { EPT_VIOLATION, 3 }, { HLT, 1 } };

enum { GUEST_PAGE, EPT_1, EPT_2, EPT_3, EPT_4, PAGES };

/* Build four levels that show one page at guest-physical 0. */
static __init_text void show_page(void *const *pages)
{
    for (unsigned i = EPT_1; i < PAGES; i++) {
        u64 *table = pages[i];
        memset(table, 0, PAGE_SIZE);
        table[0] = virt_to_phys(pages[i - 1]) | EPT_ALL | (i == EPT_1 ? VMX_MEMORY_WRITE_BACK << 3 : 0);
    }
    memset(pages[GUEST_PAGE], 0, PAGE_SIZE);
    memcpy((u8 *)pages[GUEST_PAGE] + BEGIN, program, sizeof(program));
}

/* An exit loads GDTR and IDTR with limits of 64 KiB (28.5.2). */
static __init_text void restore_limits(void)
{
    struct arch_cpu *a = &this_cpu()->arch;
    struct {
        u16 limit;
        u64 base;
    } __packed gdtr = { sizeof(a->gdt) - 1, (u64)a->gdt }, idtr;
    u64 base;
    u16 limit;
    idt_where(&base, &limit);
    idtr.base = base;
    idtr.limit = limit;
    __asm__ volatile("lgdt %0; lidt %1" ::"m"(gdtr), "m"(idtr) : "memory");
}

/* Run to the next exit that is not the host's own interrupt; those are taken. */
static __init_text const char *next_exit(u64 *regs, bool *launched, u64 *reason)
{
    for (unsigned i = 0; i < MOST; i++) {
        int failed = vmx_switch(regs, *launched);
        if (failed)
            return vmcs_read(VMCS_INSTRUCTION_ERROR, reason) ? "not entered" : "not entered, error";
        *launched = true;
        restore_limits();
        if (vmcs_read(VMCS_EXIT_REASON, reason))
            return "no exit reason";
        if (*reason != INTERRUPT)
            return 0;
        irq_enable();
        cpu_relax();
        irq_disable();
    }
    return "interrupted for ever";
}

/* What exit `n` is told, beside its reason. */
static __init_text bool told_right(unsigned n, const u64 *regs)
{
    u64 length, where;
    if (vmcs_read(VMCS_EXIT_LENGTH, &length) || vmcs_read(VMCS_GUEST_PHYSICAL, &where))
        return false;
    if ((u16)regs[RBX] != 0x1234 || regs[R15] != MARK)
        return false;
    return want[n].reason == EPT_VIOLATION ? where == NO_MEMORY : length == want[n].length;
}

static __init_text const char *trial_run(u64 *reason)
{
    u64 regs[16] = { [R15] = MARK }, rip = BEGIN + 3;
    bool launched = false;
    for (unsigned n = 0; n < ARRAY_SIZE(want); n++) {
        const char *error = next_exit(regs, &launched, reason);
        u64 at = 0;
        if (error)
            return error;
        if (*reason != want[n].reason || vmcs_read(VMCS_GUEST_RIP, &at) || at != rip || !told_right(n, regs))
            return "an exit is wrong, reason";
        rip += want[n].length;
        if (vmcs_write(VMCS_GUEST_RIP, rip))
            return "RIP cannot be written";
    }
    return 0;
}

__init_text const char *vmx_trial(const struct vmx_capability *c, u64 *reason)
{
    void *pages[PAGES] = { 0 };
    const char *error = 0;
    *reason = 0;
    for (unsigned i = 0; i < PAGES; i++)
        if (!(pages[i] = page_alloc()))
            error = "no memory";
    if (!error) {
        show_page(pages);
        bool filled = !vmcs_zero() && !vmcs_set_controls(c, virt_to_phys(pages[EPT_4])) && !vmcs_set_host() &&
                      !vmcs_set_guest(BEGIN);
        error = filled ? trial_run(reason) : "a field is missing";
    }
    for (unsigned i = 0; i < PAGES; i++)
        if (pages[i])
            page_free(pages[i]);
    return error;
}
