// SPDX-License-Identifier: MIT
/*
 * amalgam-poke.c - for tests of isolation: does what a hostile Linux kernel could do to the kernel beneath it.
 *
 *   address=A [write=1]       read, or also write, the word at a physical address
 *   icr=A,B... dest=N         write these values to this CPU's interrupt command register, for APIC identifier N
 *   look=A icr=...            first put a program into low memory, which a start-up interrupt of vector 7 starts in
 *                             real mode; it reads the word at A, which is printed
 *   apic=O value=V [times=N]  write the local APIC's register at offset O; print how many ticks of the TSC a write took
 *   message=V dest=N          make the I/O APIC send this message for an interrupt of the serial port
 *   msr=M value=V             write a model-specific register; print whether the write was refused
 *   cr3=B                     load CR3 with these bits added
 *   call=N a=A b=B            make call N of the kernel beneath, as its module does; print the answer
 *
 * If the kernel beneath refuses an access it raises a fault, which kills the program that loads this module. Only a
 * refused write to the local APIC is survived; how many were refused is printed.
 */
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/module.h>
#include <asm/asm.h>
#include <asm/msr.h>

#define LAPIC_AT   0xfee00000ul
#define LAPIC_SIZE 0x100000ul
#define ICR        0x300
#define ICR_HIGH   0x310
#define IOAPIC_AT  0xfec00000ul
#define IOAPIC_PIN 4 /* the serial port's */
#define COM1_IER   0x3f9
#define IER_THRI   2        /* interrupt when there is room for a byte: at once */
#define STUB       0x7000ul /* where vector 7 starts; below 1 MiB Linux uses only pages of its own start-up code */
#define STUB_WORDS (STUB + 0x80)

static unsigned long address, look, apic = -1ul, msr, value, cr3;
module_param(address, ulong, 0400);
MODULE_PARM_DESC(address, "physical, of RAM that Linux has in its direct map");
module_param(look, ulong, 0400);
module_param(apic, ulong, 0400);
module_param(msr, ulong, 0400);
module_param(value, ulong, 0400);
module_param(cr3, ulong, 0400);

static unsigned long call, a, b;
module_param(call, ulong, 0400);
module_param(a, ulong, 0400);
module_param(b, ulong, 0400);

static unsigned int times = 1;
module_param(times, uint, 0400);

static int message = -1;
module_param(message, int, 0400);
MODULE_PARM_DESC(message, "vector and delivery mode");

static bool write;
module_param(write, bool, 0400);
MODULE_PARM_DESC(write, "also write to it");

static unsigned int icr[4], n_icr, dest;
module_param_array(icr, uint, &n_icr, 0400);
module_param(dest, uint, 0400);

/* Enters protected mode, where ES reaches all addresses. Addresses are offsets in the page. */
asm(".pushsection .rodata\n"
    "poke_stub: .code16\n"
    "    cli\n"
    "    mov %cs, %ax\n"
    "    mov %ax, %ds\n"
    "    lgdtl 0x60\n"
    "    mov %cr0, %eax\n"
    "    or $1, %al\n"
    "    mov %eax, %cr0\n"
    "    mov $8, %ax\n"
    "    mov %ax, %es\n"
    "    mov 0x80, %ebx\n"
    "    mov %es:(%ebx), %eax\n"
    "    mov %eax, 0x84\n"
    "    movl $1, 0x88\n"
    "1:  hlt\n"
    "    jmp 1b\n"
    "    .code64\n"
    "poke_stub_end: .popsection\n");
extern const u8 poke_stub[], poke_stub_end[];

static void put_stub(void)
{
    u8 *page = phys_to_virt(STUB);
    volatile u32 *word = phys_to_virt(STUB_WORDS);

    memcpy(page, poke_stub, poke_stub_end - poke_stub);
    *(u16 *)(page + 0x60) = 15;
    *(u32 *)(page + 0x62) = STUB + 0x68;
    *(u64 *)(page + 0x68) = 0;
    *(u64 *)(page + 0x70) = 0x00cf93000000ffff;
    word[0] = look;
    word[1] = word[2] = 0;
}

static unsigned int refused;

static void store(volatile u8 __iomem *to, u32 v)
{
    unsigned int failed = 1;

    asm volatile("1: movl %[v], %[to]\n"
                 "   xor %[failed], %[failed]\n"
                 "2:\n" _ASM_EXTABLE(1b, 2b)
                 : [to] "=m"(*(volatile u32 __force *)to), [failed] "+&r"(failed)
                 : [v] "r"(v));
    refused += failed;
}

static void store_often(volatile u8 __iomem *to)
{
    unsigned long flags;
    unsigned int i;
    u64 from;

    local_irq_save(flags);
    from = rdtsc();
    for (i = 0; i < times; i++)
        store(to, value);
    from = rdtsc() - from;
    local_irq_restore(flags);
    pr_info("amalgam-poke: %llu ticks a write\n", from / times);
}

static void send(volatile u8 __iomem *page)
{
    unsigned int i;

    for (i = 0; i < n_icr; i++) {
        unsigned long flags;

        local_irq_save(flags);
        store(page + ICR_HIGH, dest << 24);
        store(page + ICR, icr[i]);
        local_irq_restore(flags);
        mdelay(10);
    }
}

static int poke_apic(void)
{
    volatile u8 __iomem *page = ioremap(LAPIC_AT, LAPIC_SIZE);
    volatile u32 *word = phys_to_virt(STUB_WORDS);

    if (!page)
        return -ENOMEM;
    if (look)
        put_stub();
    if (apic < LAPIC_SIZE)
        store_often(page + apic);
    send(page);
    if (look) {
        mdelay(100);
        pr_info("amalgam-poke: the started CPU %s %08x\n", word[2] ? "read" : "did nothing", word[1]);
    }
    iounmap(page);
    pr_info("amalgam-poke: %u writes were refused\n", refused);
    return 0;
}

static void redirect(u32 __iomem *io, u32 low, u32 high)
{
    const u32 entry = 0x10 + 2 * IOAPIC_PIN;

    writel(entry + 1, io);
    writel(high, io + 4);
    writel(entry, io);
    writel(low, io + 4);
}

static int poke_message(void)
{
    u32 __iomem *io = ioremap(IOAPIC_AT, PAGE_SIZE);
    unsigned long flags;
    u32 low, high;
    u8 enabled;

    if (!io)
        return -ENOMEM;
    local_irq_save(flags);
    writel(0x10 + 2 * IOAPIC_PIN, io);
    low = readl(io + 4);
    writel(0x11 + 2 * IOAPIC_PIN, io);
    high = readl(io + 4);
    enabled = inb(COM1_IER);
    outb(0, COM1_IER);
    redirect(io, message, dest << 24);
    outb(IER_THRI, COM1_IER);
    outb(0, COM1_IER);
    redirect(io, low, high);
    outb(enabled, COM1_IER);
    local_irq_restore(flags);
    iounmap(io);
    return 0;
}

static int __init poke_init(void)
{
    volatile u64 *word = phys_to_virt(address);

    if (message >= 0)
        return poke_message();
    if (n_icr || apic < LAPIC_SIZE)
        return poke_apic();
    if (call) {
        asm volatile("vmmcall" : "+a"(call) : "D"(a), "S"(b) : "memory");
        pr_info("amalgam-poke: the answer is %ld\n", (long)call);
        return 0;
    }
    if (cr3) {
        asm volatile("mov %0, %%cr3" : : "r"(__read_cr3() | cr3) : "memory");
        pr_info("amalgam-poke: CR3 is loaded\n");
        return 0;
    }
    if (msr) {
        pr_info("amalgam-poke: MSR %#lx: %s\n", msr, wrmsrl_safe(msr, value) ? "refused" : "written");
        return 0;
    }
    pr_info("amalgam-poke: %#lx holds %016llx\n", address, *word);
    if (write)
        *word = 0x656b6f70; /* "poke" */
    return 0;
}

static void __exit poke_exit(void) {}

module_init(poke_init);
module_exit(poke_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Test: reads and writes physical memory, starts and interrupts CPUs");
