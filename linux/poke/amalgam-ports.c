// SPDX-License-Identifier: MIT
/*
 * amalgam-ports.c - for tests of isolation: does what a hostile Linux kernel could do to make the machine sleep or
 * reset, and to search memory afterwards.
 *
 *   port=P value=V width=1|2|4 [string=1]   write to an I/O port, by OUTS if `string`; print whether it was refused
 *   store=A value=V width=1|2|4|8           write a register in memory; print what it holds then
 *   count=A pages=N word=W                  print how many of N pages from physical address A begin with the 8 bytes W
 *   wake=1 count=A pages=N word=W port=...  before the write to the port, set the firmware's waking vector to a
 * program. When the RTC's alarm wakes the machine, CPU 0 starts it in real mode; it counts the pages (the lower 4 bytes
 * of W) and prints "woke: " and the count in 8 hexadecimal digits on COM1
 */
#include <linux/acpi.h>
#include <linux/io.h>
#include <linux/module.h>
#include <asm/asm.h>

#define STUB       0x7000ul /* below 1 MiB Linux uses only pages of its own start-up code */
#define STUB_GDT   0xc0
#define STUB_WORDS 0xe0

static int port = -1, width = 2;
static unsigned long value, store, count, pages, word;
static bool string, wake;
module_param(port, int, 0400);
module_param(width, int, 0400);
module_param(value, ulong, 0400);
module_param(store, ulong, 0400);
module_param(count, ulong, 0400);
module_param(pages, ulong, 0400);
module_param(word, ulong, 0400);
module_param(string, bool, 0400);
module_param(wake, bool, 0400);

/* Enters protected mode, where ES reaches all addresses. Addresses are offsets in the page. */
asm(".pushsection .rodata\n"
    "ports_stub: .code16\n"
    "    cli\n"
    "    mov %cs, %ax\n"
    "    mov %ax, %ds\n"
    "    lgdtl 0xc0\n"
    "    mov %cr0, %eax\n"
    "    or $1, %al\n"
    "    mov %eax, %cr0\n"
    "    mov $8, %ax\n"
    "    mov %ax, %es\n"
    "    mov 0xe0, %ebx\n"
    "    mov 0xe4, %ecx\n"
    "    mov 0xe8, %edx\n"
    "    xor %edi, %edi\n"
    "1:  cmp %es:(%ebx), %edx\n"
    "    jne 2f\n"
    "    inc %edi\n"
    "2:  add $0x1000, %ebx\n"
    "    dec %ecx\n"
    "    jnz 1b\n"
    "    mov $0x3f8, %dx\n"
    "    mov $0xf0, %si\n"
    "    mov $6, %cx\n"
    "    rep outsb\n"
    "    mov $8, %cx\n"
    "3:  rol $4, %edi\n"
    "    mov %di, %ax\n"
    "    and $15, %al\n"
    "    add $0x30, %al\n"
    "    cmp $0x39, %al\n"
    "    jbe 4f\n"
    "    add $39, %al\n"
    "4:  out %al, %dx\n"
    "    loop 3b\n"
    "    mov $10, %al\n"
    "    out %al, %dx\n"
    "5:  hlt\n"
    "    jmp 5b\n"
    "    .code64\n"
    "ports_stub_end: .popsection\n");
extern const u8 ports_stub[], ports_stub_end[];

/* The page needs no execute permission: the waking vector is called in real mode, without page tables. */
static int prepare_waking(void)
{
    u8 *page = phys_to_virt(STUB);
    struct acpi_table_header *facs;

    if (ports_stub_end - ports_stub > STUB_GDT || ACPI_FAILURE(acpi_get_table(ACPI_SIG_FACS, 0, &facs)))
        return -ENODEV;
    memcpy(page, ports_stub, ports_stub_end - ports_stub);
    *(u16 *)(page + STUB_GDT) = 15;
    *(u32 *)(page + STUB_GDT + 2) = STUB + STUB_GDT + 8;
    *(u64 *)(page + STUB_GDT + 8) = 0;
    *(u64 *)(page + STUB_GDT + 16) = 0x00cf93000000ffff;
    *(u32 *)(page + STUB_WORDS) = count;
    *(u32 *)(page + STUB_WORDS + 4) = pages;
    *(u32 *)(page + STUB_WORDS + 8) = word;
    memcpy(page + STUB_WORDS + 16, "woke: ", 6);
    ((struct acpi_table_facs *)facs)->firmware_waking_vector = STUB;
    ((struct acpi_table_facs *)facs)->xfirmware_waking_vector = 0;
    outw(inw(acpi_gbl_FADT.pm1a_event_block + 2) | 1 << 10, acpi_gbl_FADT.pm1a_event_block + 2); /* the RTC wakes */
    return 0;
}

#define TRY(insn, ...)                                                                                                 \
    asm volatile("1: " insn "\n   xor %[failed], %[failed]\n2:\n" _ASM_EXTABLE(1b, 2b)                                 \
                 : [failed] "+&r"(failed), "+S"(from)                                                                  \
                 : "a"((u32)value), "d"((u16)port)                                                                     \
                 : "memory")

static bool write_port(void)
{
    unsigned int failed = 1;
    const void *from = &value;

    switch (width | string << 3) {
    case 1: TRY("outb %%al, %%dx"); break;
    case 2: TRY("outw %%ax, %%dx"); break;
    case 4: TRY("outl %%eax, %%dx"); break;
    case 9: TRY("outsb"); break;
    case 10: TRY("outsw"); break;
    case 12: TRY("outsl"); break;
    }
    return !failed;
}

static bool write_memory(volatile void *to)
{
    unsigned int failed = 1;
    const void *from = NULL;

#define STORE(suffix, reg)                                                                                             \
    asm volatile("1: mov" suffix " %" reg "[v], (%[to])\n   xor %[failed], %[failed]\n2:\n" _ASM_EXTABLE(1b, 2b)       \
                 : [failed] "+&r"(failed), "+S"(from)                                                                  \
                 : [v] "q"(value), [to] "r"(to)                                                                        \
                 : "memory")
    switch (width) {
    case 1: STORE("b", "b"); break;
    case 2: STORE("w", "w"); break;
    case 4: STORE("l", "k"); break;
    case 8: STORE("q", "q"); break;
    }
    return !failed;
}

static int store_in_memory(void)
{
    volatile u8 __iomem *page = ioremap(store & PAGE_MASK, 2 * PAGE_SIZE);
    bool done;

    if (!page)
        return -ENOMEM;
    done = write_memory((volatile u8 __force *)page + (store & ~PAGE_MASK));
    pr_info("amalgam-ports: memory %#lx: %s, holds %02x\n", store, done ? "written" : "refused",
            readb(page + (store & ~PAGE_MASK)));
    iounmap(page);
    return 0;
}

static void count_pages(void)
{
    unsigned long i, found = 0;

    for (i = 0; i < pages; i++)
        found += *(volatile u64 *)phys_to_virt(count + i * PAGE_SIZE) == word;
    pr_info("amalgam-ports: %lu pages\n", found);
}

static int __init ports_init(void)
{
    int error;

    if (store)
        return store_in_memory();
    if (count && !wake)
        count_pages();
    if (port < 0)
        return 0;
    error = wake ? prepare_waking() : 0;
    if (!error)
        pr_info("amalgam-ports: port %#x: %s\n", port, write_port() ? "written" : "refused");
    return error;
}

static void __exit ports_exit(void) {}

module_init(ports_init);
module_exit(ports_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Test: makes the machine sleep or start again, and looks for what memory still holds");
