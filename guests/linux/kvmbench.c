/* SPDX-License-Identifier: MIT */
/*
 * kvmbench - measures exits of a guest under KVM, to compare with bench `exits`.
 *   kvmbench [N]
 * Tiny guests of 32-bit code, made directly by KVM's ioctls, read the TSC (offset 0) before and after each kind of exit
 * and store the differences in their memory. It prints `bench NAME MIN MEDIAN N` in TSC ticks.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/kvm.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

#define MEMORY     0x100000
#define CODE       0x1000
#define RESULTS    0x10000 /* u32 each */
#define COMMON     0x80000 /* one page that both guests of a pair share */
#define WARM       16
#define PORT_YIELD 0x96 /* the program yields */
#define PORT_DONE  0x99

/* EBP counts down, EDI points at the next result, ESP holds the guest's number. */
#define SNIPPET(name, body)                                                                                            \
    extern const char name##_start[], name##_end[];                                                                    \
    __asm__(".pushsection .rodata\n.code32\n" #name "_start:\n"                                                        \
            "1: rdtsc\n mov %eax, %esi\n" body "\n rdtsc\n sub %esi, %eax\n stosl\n dec %ebp\n jnz 1b\n"               \
            " out %al, $0x99\n2: hlt\n jmp 2b\n" #name "_end:\n.code64\n.popsection\n");
SNIPPET(none, "")
SNIPPET(cpuid, "xor %eax, %eax\n cpuid")
SNIPPET(hypercall, "mov $1, %eax\n vmmcall") /* KVM_HC_VAPIC_POLL_IRQ: does nothing */
SNIPPET(msr, "mov $0x1b, %ecx\n rdmsr")
SNIPPET(pio_kernel, "mov $0x4d0, %edx\n in %dx, %al") /* the in-kernel i8259's edge register */
SNIPPET(pio_user, "out %al, $0x98")
SNIPPET(mmio_user, "movl %eax, 0x40000000")

/* The common page: +0 time stamp, +4 the guest that ran last. A sample is the time from one guest's exit to the other's
 * next reading. */
extern const char pair_start[], pair_end[];
__asm__(".pushsection .rodata\n.code32\npair_start:\n"
        "1: rdtsc\n mov %eax, %esi\n cmp %esp, 0x80004\n je 3f\n cmpl $-1, 0x80004\n je 3f\n"
        " sub 0x80000, %esi\n mov %esi, %eax\n stosl\n dec %ebp\n jz 9f\n"
        "3: mov %esp, 0x80004\n rdtsc\n mov %eax, 0x80000\n out %al, $0x96\n jmp 1b\n"
        "9: out %al, $0x99\n2: hlt\n jmp 2b\npair_end:\n.code64\n.popsection\n");

struct guest {
    int vm, cpu;
    struct kvm_run *run;
    char *memory;
};

static int kvm, run_size;
static unsigned count = 1000;
static uint64_t overhead;
static uint64_t sample[MAX_SAMPLES];
static uint32_t *common;

static int checked(int result, const char *what)
{
    if (result < 0) {
        perror(what);
        exit(1);
    }
    return result;
}

static void add_memory(struct guest *g, unsigned slot, uint64_t at, void *host, uint64_t size)
{
    struct kvm_userspace_memory_region region = {
        .slot = slot, .guest_phys_addr = at, .memory_size = size, .userspace_addr = (uintptr_t)host
    };
    checked(ioctl(g->vm, KVM_SET_USER_MEMORY_REGION, &region), "kvmbench: memory");
}

static void set_registers(struct guest *g, uint32_t n, uint32_t number)
{
    struct kvm_sregs s;
    checked(ioctl(g->cpu, KVM_GET_SREGS, &s), "kvmbench: get sregs");
    struct kvm_segment code = { .limit = 0xffffffff, .selector = 8, .type = 11, .present = 1, .db = 1, .s = 1, .g = 1 };
    struct kvm_segment data = code;
    data.type = 3;
    data.selector = 16;
    s.cs = code;
    s.ds = s.es = s.ss = s.fs = s.gs = data;
    s.cr0 |= 1;
    checked(ioctl(g->cpu, KVM_SET_SREGS, &s), "kvmbench: set sregs");
    struct kvm_regs r = { .rip = CODE, .rflags = 2, .rbp = n, .rdi = RESULTS, .rsp = number };
    checked(ioctl(g->cpu, KVM_SET_REGS, &r), "kvmbench: set regs");
    uint64_t zero = 0;
    struct kvm_device_attr offset = { .group = KVM_VCPU_TSC_CTRL,
                                      .attr = KVM_VCPU_TSC_OFFSET,
                                      .addr = (uintptr_t)&zero };
    checked(ioctl(g->cpu, KVM_SET_DEVICE_ATTR, &offset), "kvmbench: tsc offset");
}

static struct guest make_guest(const char *start, const char *end, uint32_t n, uint32_t number)
{
    struct guest g = { .vm = checked(ioctl(kvm, KVM_CREATE_VM, 0), "kvmbench: create vm") };
    struct {
        struct kvm_cpuid2 head;
        struct kvm_cpuid_entry2 entry[100];
    } features = { .head.nent = 100 };
    ioctl(g.vm, KVM_SET_TSS_ADDR, 0xfffbd000);
    checked(ioctl(g.vm, KVM_CREATE_IRQCHIP, 0), "kvmbench: irqchip");
    g.memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    add_memory(&g, 0, 0, g.memory, COMMON);
    add_memory(&g, 1, COMMON, common, 4096);
    memcpy(g.memory + CODE, start, end - start);
    g.cpu = checked(ioctl(g.vm, KVM_CREATE_VCPU, 0), "kvmbench: vcpu");
    g.run = mmap(NULL, run_size, PROT_READ | PROT_WRITE, MAP_SHARED, g.cpu, 0);
    checked(ioctl(kvm, KVM_GET_SUPPORTED_CPUID, &features), "kvmbench: supported cpuid");
    checked(ioctl(g.cpu, KVM_SET_CPUID2, &features), "kvmbench: cpuid");
    set_registers(&g, n, number);
    return g;
}

/* Run the guest until it reports that it is done. Returns whether it did. */
static bool run(struct guest *g)
{
    for (;;) {
        if (ioctl(g->cpu, KVM_RUN, 0) < 0) {
            perror("kvmbench: run");
            return false;
        }
        if (g->run->exit_reason == KVM_EXIT_IO && g->run->io.port == PORT_DONE)
            return true;
        if (g->run->exit_reason == KVM_EXIT_IO && g->run->io.port == PORT_YIELD)
            sched_yield();
        else if (g->run->exit_reason != KVM_EXIT_IO && g->run->exit_reason != KVM_EXIT_MMIO) {
            printf("kvmbench: unexpected exit %u\n", g->run->exit_reason);
            return false;
        }
    }
}

static void collect(const struct guest *g)
{
    const uint32_t *result = (const uint32_t *)(g->memory + RESULTS) + WARM;
    for (unsigned i = 0; i < count; i++)
        sample[i] = result[i];
}

static void measure(const char *name, const char *start, const char *end)
{
    struct guest g = make_guest(start, end, count + WARM, 1);
    if (run(&g)) {
        collect(&g);
        bench_report(name, sample, count, overhead, 1);
    }
    munmap(g.run, run_size);
    close(g.cpu);
    close(g.vm);
    munmap(g.memory, MEMORY);
}

/* Measure one KVM_RUN from user space: into the guest, out at its port, back in user space. */
static void host_guest_switch(void)
{
    struct guest g = make_guest(pio_user_start, pio_user_end, MAX_SAMPLES, 1);
    for (int i = -WARM; i < (int)count; i++) {
        uint64_t t0 = rdtsc();
        ioctl(g.cpu, KVM_RUN, 0);
        if (i >= 0)
            sample[i] = rdtsc() - t0;
    }
    bench_report("kvm-host-guest-switch", sample, count, overhead, 1);
}

static void become_fifo(void)
{
    struct sched_param p = { .sched_priority = 50 };
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    sched_setaffinity(0, sizeof(set), &set);
    sched_setscheduler(0, SCHED_FIFO, &p);
}

static void *run_second(void *guest)
{
    become_fifo();
    run(guest);
    return NULL;
}

/* The second guest never collects all its samples; it ends with the program. */
static void vm_switch(void)
{
    pthread_t t;
    common[0] = 0;
    common[1] = -1;
    struct guest a = make_guest(pair_start, pair_end, count + WARM, 1);
    static struct guest b;
    b = make_guest(pair_start, pair_end, count + WARM, 2);
    become_fifo();
    pthread_create(&t, NULL, run_second, &b);
    sched_yield();
    if (run(&a)) {
        collect(&a);
        bench_report("kvm-vm-switch", sample, count, overhead, 1);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        count = atoi(argv[1]);
    if (count < 1 || count > 8000)
        count = 1000;
    setvbuf(stdout, NULL, _IOLBF, 0);
    kvm = checked(open("/dev/kvm", O_RDWR), "kvmbench: /dev/kvm");
    run_size = checked(ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), "kvmbench: mmap size");
    common = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    measure("kvm-rdtsc-pair", none_start, none_end);
    overhead = sample[0];
    measure("kvm-hypercall", hypercall_start, hypercall_end);
    measure("kvm-cpuid", cpuid_start, cpuid_end);
    measure("kvm-msr", msr_start, msr_end);
    measure("kvm-pio-kernel", pio_kernel_start, pio_kernel_end);
    measure("kvm-pio-user", pio_user_start, pio_user_end);
    measure("kvm-mmio-user", mmio_user_start, mmio_user_end);
    host_guest_switch();
    vm_switch();
    printf("kvmbench: done\n");
    fflush(stdout);
    _exit(0);
}
