/* SPDX-License-Identifier: MIT */
/*
 * exits - measures exits of the guest, seen from inside. It prints for each kind of exit
 *     bench exits METRIC MIN MEDIAN N
 * in TSC ticks over n= (1000) samples; the cost of reading the TSC is subtracted. Under QEMU's icount a tick is an
 * instruction. With cpus=2 the second CPU, halted, is the target of `ipi`; the first one yields, in case both share a
 * core.
 *   mode=switch  only `vm-switch`: half of a yield and its return, which needs a second guest on the core with
 *   mode=peer    yields for ever
 */
#include <guest.h>
#include <amalgam_calls.h>

#define VECTOR 0x51
#define REMOTE 0x52
#define COM1   0x3f8
#define IOAPIC 0xfec00000u
#define FIXED  (1u << 14)
#define MAX_N  4096

static uint64_t sample[MAX_N], overhead;
static volatile uint64_t entered, remote_entered;

static void on_self(struct trap_frame *f)
{
    (void)f;
    entered = rdtsc();
    apic_eoi();
}

static void on_remote(struct trap_frame *f)
{
    (void)f;
    remote_entered = rdtsc();
    apic_eoi();
}

static void report(const char *metric, unsigned n)
{
    sort_u64(sample, n);
    uint64_t low = sample[0] - (sample[0] < overhead ? sample[0] : overhead);
    uint64_t mid = sample[n / 2] - (sample[n / 2] < overhead ? sample[n / 2] : overhead);
    print("bench exits %s %lu %lu %lu\n", metric, low, mid, (uint64_t)n);
}

/* The first eight rounds are not counted; they load translations and caches. */
#define MEASURE(metric, n, action)                                                                                     \
    do {                                                                                                               \
        for (int i_ = -8; i_ < (int)(n); i_++) {                                                                       \
            uint64_t t0_ = rdtsc();                                                                                    \
            action;                                                                                                    \
            uint64_t t1_ = rdtsc();                                                                                    \
            if (i_ >= 0)                                                                                               \
                sample[i_] = t1_ - t0_;                                                                                \
        }                                                                                                              \
        report(metric, n);                                                                                             \
    } while (0)

static void try_null(void *unused)
{
    (void)unused;
    amalgam_null();
}

static void sleep(void)
{
    for (;;)
        wait_irq();
}

static void interrupts(unsigned n)
{
    trap_install(VECTOR, on_self);
    MEASURE("apic-self-ipi-masked", n, apic_ipi(apic_id(), FIXED | VECTOR));
    irq_on();
    for (int i = -8; i < (int)n; i++) {
        entered = 0;
        uint64_t t0 = rdtsc();
        apic_ipi(apic_id(), FIXED | VECTOR);
        while (!entered)
            cpu_relax();
        if (i >= 0)
            sample[i] = entered - t0;
    }
    irq_off();
    report("inject", n);
}

static void remote(unsigned n)
{
    trap_install(REMOTE, on_remote);
    if (!smp_start(1, sleep)) {
        print("exits: cpu 1 does not answer\n");
        return;
    }
    for (int i = -8; i < (int)n; i++) {
        remote_entered = 0;
        uint64_t t0 = rdtsc();
        apic_ipi(1, FIXED | REMOTE);
        while (!remote_entered)
            amalgam_yield();
        if (i >= 0)
            sample[i] = remote_entered - t0;
    }
    report("ipi", n);
}

/*
 * CPUID executed in ring 3, by a loop that reads the TSC itself and stores the differences. Between the two readings
 * are three instructions besides CPUID.
 */
static void user_cpuid(unsigned n)
{
    static const uint8_t code[] = {
        0x0f, 0x31,                         /* again: rdtsc */
        0x41, 0x89, 0xc0,                   /* mov r8d, eax */
        0x31, 0xc0,                         /* xor eax, eax */
        0x31, 0xc9,                         /* xor ecx, ecx */
        0x0f, 0xa2,                         /* cpuid */
        0x0f, 0x31,                         /* rdtsc */
        0x44, 0x29, 0xc0,                   /* sub eax, r8d */
        0x48, 0x89, 0x07,                   /* mov [rdi], rax */
        0x48, 0x83, 0xc7, 0x08,             /* add rdi, 8 */
        0x48, 0xf7, 0xc7, 0xff, 0x7f, 0, 0, /* test rdi, 0x7fff: 4096 samples */
        0x75, 0xe0,                         /* jnz again */
        0x0f, 0x0b,                         /* ud2 */
    };
    if (!user_run(code, sizeof(code), (uintptr_t)user_words) || !user_words[MAX_N - 1])
        print("exits: ring 3 does not run\n");
    for (unsigned i = 0; i < n; i++)
        sample[i] = user_words[MAX_N - n + i] + overhead;
    report("cpuid-user", n);
}

static void vm_switch(unsigned n)
{
    for (int i = -8; i < (int)n; i++) {
        uint64_t t0 = rdtsc();
        amalgam_yield();
        uint64_t t1 = rdtsc();
        if (i >= 0)
            sample[i] = (t1 - t0 - overhead) / 2 + overhead;
    }
    report("vm-switch", n);
}

/* VMMCALL is undefined on a processor of Intel, and understood more slowly. */
#define INTEL 0x756e6547u /* "Genu" */
static inline void by_vmcall(uint64_t call) { __asm__ volatile("vmcall" : "+a"(call) : : "memory"); }

void guest_main(void)
{
    unsigned n = arg_number("n", 1000);
    char mode[16];
    arg_text("mode", "exits", mode, sizeof(mode));
    n = n < 1 || n > MAX_N ? 1000 : n;
    if (text_equal(mode, "peer"))
        for (;;)
            amalgam_yield();
    apic_enable();
    MEASURE("rdtsc-pair", n, (void)0);
    overhead = sample[0];
    if (text_equal(mode, "switch")) {
        vm_switch(n);
        print("exits: done\n");
        return;
    }
    if (cpuid(0, 0).ebx == INTEL) {
        MEASURE("hypercall", n, by_vmcall(AMALGAM_NULL));
        MEASURE("yield", n, by_vmcall(AMALGAM_YIELD));
    } else if (!guarded(try_null, NULL)) {
        MEASURE("hypercall", n, amalgam_null());
        MEASURE("yield", n, amalgam_yield());
    }
    MEASURE("cpuid", n, cpuid(0, 0));
    user_cpuid(n);
    MEASURE("msr", n, rdmsr(MSR_APIC_BASE));
    uint64_t base = rdmsr(MSR_APIC_BASE);
    MEASURE("msr-write", n, wrmsr(MSR_APIC_BASE, base));
    MEASURE("pio", n, outb(0x80, 0));
    MEASURE("uart-byte", n, outb(COM1, '\r'));
    MEASURE("nested-fault", n, mmio_write(IOAPIC, 0));
    MEASURE("mmio-read", n, mmio_read(IOAPIC));
    apic_timer_setup(VECTOR);
    uint64_t far = us_to_tsc(60000000);
    MEASURE("timer-arm", n, apic_timer_at(t0_ + far));
    apic_write(0x320, 1u << 16);
    MEASURE("apic-read", n, apic_read(0x30));
    MEASURE("eoi", n, apic_eoi());
    interrupts(n);
    if (arg_number("cpus", 1) > 1)
        remote(n);
    print("exits: done\n");
}
