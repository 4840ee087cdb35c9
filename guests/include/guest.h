/* SPDX-License-Identifier: MIT */
/*
 * guest.h - the library of our freestanding guests.
 *
 * A guest is one C file with guest_main(), linked with lib/. start.S brings the first CPU from each of four boot
 * protocols (PVH, multiboot 1 and 2, raw) to 64-bit mode with an identity map of the low 4 GiB. An unexpected exception
 * is reported on COM1 and powers the machine off, and so does the return from guest_main().
 */
#ifndef GUEST_H
#define GUEST_H

#include <x86.h>

enum boot_kind { BOOT_RAW, BOOT_PVH, BOOT_MULTIBOOT1, BOOT_MULTIBOOT2 };

struct memory_range {
    uint64_t base, size;
    uint32_t type; /* 1: usable RAM, as in E820 */
};

struct boot_module {
    uintptr_t start, end;
    const char *words;
};
struct boot {
    enum boot_kind kind;
    const char *cmdline; /* never NULL */
    uint64_t entered;    /* the TSC at the first C function */
    unsigned n_ranges;
    struct memory_range range[32];
    uintptr_t info;     /* the loader's value of EBX */
    bool has_video;     /* Multiboot: the information describes a video mode */
    unsigned n_modules; /* Multiboot */
    struct boot_module module[8];
};
extern struct boot boot;
void guest_main(void);

/* --- console: COM1 ------------------------------------------------------- */
/* %c %s %p, %d %u %x with l, width and 0. Polls; any context. */
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void put_char(char c);

/* --- command line: name=value words --------------------------------------- */
uint64_t arg_number(const char *name, uint64_t otherwise); /* decimal or 0x hex */
/* Copies the value of `name`, or `otherwise`, into `out`, truncated to `size`. */
void arg_text(const char *name, const char *otherwise, char *out, size_t size);
bool text_equal(const char *a, const char *b);

/* --- traps ------------------------------------------------------------------ */
struct trap_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
    uint64_t vector, error;
    uint64_t rip, cs, rflags, rsp, ss;
};
_Static_assert(sizeof(struct trap_frame) == 22 * 8, "as trap.S pushes it");
typedef void (*trap_handler)(struct trap_frame *);
void trap_install(unsigned vector,
                  trap_handler handler); /* the handler runs with interrupts off and has to do the EOI */
/*
 * Call body(argument). Returns 0 if it returned, or vector + 1 of the exception that ended it. In both cases registers
 * and stack are as before the call. It cannot be nested.
 */
int guarded(void (*body)(void *), void *argument);
extern uint64_t guarded_faults;

/* --- ring 3 ------------------------------------------------------------------- */
/* Run `n` bytes of code (at most 1 MiB) in ring 3 on the first CPU, with `rdi` in RDI, until an exception. Returns its
 * vector + 1. */
int user_run(const void *code, size_t n, uint64_t rdi);
extern uint64_t *const user_words; /* memory that ring 3 can access, a megabyte less a page */

/* --- time -------------------------------------------------------------------- */
uint64_t
tsc_khz(void); /* from tsc_khz= on the command line, KVM's leaf or leaf 0x15; otherwise measured by the ACPI PM timer */
uint64_t tsc_to_ns(uint64_t ticks);
uint64_t us_to_tsc(uint64_t us);

/* --- local APIC: x2APIC if there is one, otherwise xAPIC ---------------------- */
void apic_enable(void); /* each CPU, once */
bool apic_is_x2(void);
uint32_t apic_id(void);
void apic_eoi(void);
void apic_ipi(uint32_t destination, uint32_t low); /* low: ICR bits 0-31 */
uint32_t apic_read(uint32_t offset);               /* xAPIC register offset */
void apic_write(uint32_t offset, uint32_t value);
void apic_timer_setup(unsigned vector);
void apic_timer_at(uint64_t tsc); /* one shot; by TSC-deadline if there is that mode, otherwise by the counting timer */

/* --- more CPUs ------------------------------------------------------------------ */
#define MAX_CPUS 8
/* Start the CPU with this APIC id at main(). Returns false if it does not answer within a second. */
bool smp_start(uint32_t id, void (*main)(void));

/* --- end --------------------------------------------------------------------------- */
void power_off(void) __attribute__((noreturn));
void machine_reset(void) __attribute__((noreturn));

/* --- memory and numbers --------------------------------------------------------------- */
void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
void sort_u64(uint64_t *a, size_t n);
static inline uint64_t xorshift(uint64_t *state) /* Marsaglia 2003, 13/7/17; state must not be 0 */
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

#endif
