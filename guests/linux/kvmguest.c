/* SPDX-License-Identifier: MIT */
/*
 * kvmguest - hosts a stock Linux under KVM, to compare with our own guest.
 *   kvmguest BZIMAGE INITRD MEBIBYTES CMDLINE-FILE
 * The machine has one vCPU, KVM's own interrupt controllers and PIT, and a 16550 on COM1 whose output is printed; Linux
 * is entered by the 64-bit boot protocol. There is no other device, so that KVM itself is measured. It ends when the
 * guest's init prints that its bench has ended.
 */
#define _GNU_SOURCE
#include <asm/bootparam.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PARAMS   0x7000
#define TABLES   0x9000 /* identity map of the first GiB: three pages */
#define GDT      0x8000
#define CMDLINE  0x20000
#define KERNEL   0x1000000 /* the preferred address of a stock kernel */
#define E820_TOP 0x9f000
#define COM1     0x3f8
#define COM1_IRQ 4
#define END      "bench ended with status 0"

static struct {
    uint8_t ier, lcr, mcr, scratch, fcr;
    uint16_t divisor;
    bool thr_empty; /* the interrupt "transmitter empty" is pending */
} uart;

static int vm;
static char *memory;

static int checked(int result, const char *what)
{
    if (result < 0) {
        perror(what);
        exit(1);
    }
    return result;
}

static char *file(const char *path, size_t *size)
{
    struct stat s;
    int fd = checked(open(path, O_RDONLY), path);
    checked(fstat(fd, &s), path);
    char *data = mmap(NULL, s.st_size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED || s.st_size == 0) {
        fprintf(stderr, "kvmguest: %s cannot be read\n", path);
        exit(1);
    }
    close(fd);
    *size = s.st_size;
    return data;
}

/* --- COM1 ----------------------------------------------------------------------------- */
static void uart_line(bool high)
{
    struct kvm_irq_level level = { .irq = COM1_IRQ, .level = high };
    ioctl(vm, KVM_IRQ_LINE, &level);
}

/* Lower the line first: it is edge-triggered, so a new reason needs a new edge. */
static void uart_interrupt(void)
{
    uart_line(false);
    if (uart.thr_empty && (uart.ier & 2))
        uart_line(true);
}

/* Print a character. Returns true when the text that ends the run is complete. */
static bool uart_put(char c)
{
    static size_t matched;
    putchar(c);
    if (c == '\n')
        fflush(stdout);
    matched = c == END[matched] ? matched + 1 : c == END[0];
    return END[matched] == '\0';
}

static bool uart_write(unsigned reg, uint8_t value)
{
    bool ended = false;
    switch (reg) {
    case 0:
        if (uart.lcr & 0x80)
            uart.divisor = (uart.divisor & 0xff00) | value;
        else if (!(uart.mcr & 0x10))
            ended = uart_put(value);
        uart.thr_empty = true;
        break;
    case 1:
        if (uart.lcr & 0x80)
            uart.divisor = (uart.divisor & 0xff) | value << 8;
        else {
            uart.thr_empty |= (value & ~uart.ier & 2) != 0;
            uart.ier = value & 0xf;
        }
        break;
    case 2: uart.fcr = value; break;
    case 3: uart.lcr = value; break;
    case 4: uart.mcr = value & 0x1f; break;
    case 7: uart.scratch = value; break;
    }
    uart_interrupt();
    return ended;
}

static uint8_t uart_read(unsigned reg)
{
    uint8_t fifo = uart.fcr & 1 ? 0xc0 : 0;
    switch (reg) {
    case 0: return uart.lcr & 0x80 ? uart.divisor & 0xff : 0;
    case 1: return uart.lcr & 0x80 ? uart.divisor >> 8 : uart.ier;
    case 2:
        if (!uart.thr_empty || !(uart.ier & 2))
            return fifo | 1;
        uart.thr_empty = false;
        uart_interrupt();
        return fifo | 2;
    case 3: return uart.lcr;
    case 4: return uart.mcr;
    case 5: return 0x60; /* nothing to read, all sent */
    case 6:              /* in loopback mode OUT2, OUT1, RTS, DTR appear as DCD, RI, CTS, DSR */
        if (uart.mcr & 0x10)
            return (uart.mcr & 8) << 4 | (uart.mcr & 4) << 4 | (uart.mcr & 2) << 3 | (uart.mcr & 1) << 5;
        return 0xb0;
    default: return uart.scratch;
    }
}

/* --- the virtual machine ------------------------------------------------------------------ */
static void boot_params(const char *image, size_t image_size, const char *initrd, size_t initrd_size, size_t size)
{
    struct boot_params *p = (struct boot_params *)(memory + PARAMS);
    const struct setup_header *h = (const struct setup_header *)(image + 0x1f1);
    if (image_size < 0x1000 || h->header != 0x53726448 || !(h->xloadflags & XLF_KERNEL_64)) {
        fprintf(stderr, "kvmguest: not a 64-bit bzImage\n");
        exit(1);
    }
    size_t setup = (h->setup_sects + 1u) * 512, top = (size - initrd_size) & ~4095ul;
    if (setup > image_size || KERNEL + h->init_size > top || initrd_size > size) {
        fprintf(stderr, "kvmguest: too little memory\n");
        exit(1);
    }
    p->hdr = *h;
    p->hdr.type_of_loader = 0xff;
    p->hdr.ramdisk_image = top;
    p->hdr.ramdisk_size = initrd_size;
    p->hdr.cmd_line_ptr = CMDLINE;
    p->e820_entries = 2;
    p->e820_table[0] = (struct boot_e820_entry){ 0, E820_TOP, 1 };
    p->e820_table[1] = (struct boot_e820_entry){ 0x100000, size - 0x100000, 1 };
    memcpy(memory + KERNEL, image + setup, image_size - setup);
    memcpy(memory + top, initrd, initrd_size);
}

static void identity_map(void)
{
    uint64_t *top = (uint64_t *)(memory + TABLES), *second = top + 512, *third = second + 512;
    top[0] = (TABLES + 0x1000) | 3;
    second[0] = (TABLES + 0x2000) | 3;
    for (uint64_t i = 0; i < 512; i++)
        third[i] = i << 21 | 0x83;
}

static void set_registers(int cpu)
{
    struct kvm_sregs s;
    uint64_t *gdt = (uint64_t *)(memory + GDT);
    gdt[2] = 0x00af9a000000ffff;
    gdt[3] = 0x00cf92000000ffff;
    checked(ioctl(cpu, KVM_GET_SREGS, &s), "kvmguest: get sregs");
    struct kvm_segment code = {
        .limit = 0xffffffff, .selector = 0x10, .type = 11, .present = 1, .l = 1, .s = 1, .g = 1
    };
    struct kvm_segment data = {
        .limit = 0xffffffff, .selector = 0x18, .type = 3, .present = 1, .db = 1, .s = 1, .g = 1
    };
    s.cs = code;
    s.ds = s.es = s.fs = s.gs = s.ss = data;
    s.gdt.base = GDT;
    s.gdt.limit = 31;
    s.cr0 = 0x80000001 | 0x10;
    s.cr3 = TABLES;
    s.cr4 = 0x20;
    s.efer = 0x500;
    checked(ioctl(cpu, KVM_SET_SREGS, &s), "kvmguest: set sregs");
    struct kvm_regs r = { .rip = KERNEL + 0x200, .rflags = 2, .rsi = PARAMS };
    checked(ioctl(cpu, KVM_SET_REGS, &r), "kvmguest: set regs");
}

static void set_features(int kvm, int cpu)
{
    struct {
        struct kvm_cpuid2 head;
        struct kvm_cpuid_entry2 entry[100];
    } features = { .head.nent = 100 };
    checked(ioctl(kvm, KVM_GET_SUPPORTED_CPUID, &features), "kvmguest: supported cpuid");
    for (unsigned i = 0; i < features.head.nent; i++)
        if (features.entry[i].function == 1)
            features.entry[i].ecx |= 1u << 31; /* hypervisor present: Linux then reads KVM's own leaves */
    checked(ioctl(cpu, KVM_SET_CPUID2, &features), "kvmguest: cpuid");
}

static int serve(struct kvm_run *run, int cpu)
{
    for (;;) {
        checked(ioctl(cpu, KVM_RUN, 0), "kvmguest: run");
        if (run->exit_reason == KVM_EXIT_IO) {
            uint8_t *data = (uint8_t *)run + run->io.data_offset;
            bool ours = run->io.port >= COM1 && run->io.port < COM1 + 8;
            for (uint32_t i = 0; i < run->io.count; i++, data += run->io.size) {
                if (run->io.direction == KVM_EXIT_IO_IN)
                    memset(data, 0xff, run->io.size);
                if (ours && run->io.direction == KVM_EXIT_IO_IN)
                    *data = uart_read(run->io.port - COM1);
                else if (ours && uart_write(run->io.port - COM1, *data))
                    return 0;
            }
        } else if (run->exit_reason == KVM_EXIT_MMIO) {
            if (!run->mmio.is_write)
                memset(run->mmio.data, 0xff, sizeof(run->mmio.data));
        } else {
            fprintf(stderr, "kvmguest: unexpected exit %u\n", run->exit_reason);
            return 1;
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: kvmguest BZIMAGE INITRD MEBIBYTES CMDLINE-FILE\n");
        return 2;
    }
    size_t image_size, initrd_size, line_size, size = (size_t)atoi(argv[3]) << 20;
    const char *image = file(argv[1], &image_size), *initrd = file(argv[2], &initrd_size),
               *line = file(argv[4], &line_size);
    int kvm = checked(open("/dev/kvm", O_RDWR), "kvmguest: /dev/kvm");
    vm = checked(ioctl(kvm, KVM_CREATE_VM, 0), "kvmguest: create vm");
    checked(ioctl(vm, KVM_SET_TSS_ADDR, 0xfffbd000), "kvmguest: tss");
    checked(ioctl(vm, KVM_CREATE_IRQCHIP, 0), "kvmguest: irqchip");
    struct kvm_pit_config pit = { .flags = KVM_PIT_SPEAKER_DUMMY };
    checked(ioctl(vm, KVM_CREATE_PIT2, &pit), "kvmguest: pit");
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED || line_size > 2000) {
        fprintf(stderr, "kvmguest: no memory, or a command line that is too long\n");
        return 1;
    }
    struct kvm_userspace_memory_region region = { .memory_size = size, .userspace_addr = (uintptr_t)memory };
    checked(ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region), "kvmguest: memory");
    boot_params(image, image_size, initrd, initrd_size, size);
    memcpy(memory + CMDLINE, line, line_size);
    identity_map();
    int cpu = checked(ioctl(vm, KVM_CREATE_VCPU, 0), "kvmguest: vcpu");
    set_features(kvm, cpu);
    set_registers(cpu);
    struct kvm_run *run = mmap(NULL, checked(ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), "kvmguest: mmap size"),
                               PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);
    int status = serve(run, cpu);
    printf("\nkvmguest: ended with status %d\n", status);
    return status;
}
