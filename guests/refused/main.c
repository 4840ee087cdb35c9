/* SPDX-License-Identifier: MIT */
/*
 * refused - tries what a guest must not do, and wants the exception that a processor without it raises.
 *
 * Each instruction of VT-x, of AMD-V and of SMM is undefined, in each mode of the processor: none is there, by either
 * maker (CPUID hides them), whichever of them the hypervisor uses itself. So are VMCALL and VMMCALL in a domain that
 * may make no calls (hypercalls, kvm). An instruction behind each divides by zero, so one that is executed is seen.
 * Then MSRs of system calls get values that are no addresses.
 *   gp=0 (1: the instructions of AMD-V may be #GP. By AMD-V a guest's raise that in ring 3 and for a wrong RAX)
 *   refused: ok, 175 instructions        refused: 7 of 7 values of MSRs are #GP
 */
#include "refused.h"

#define DE 0
#define UD 6
#define GP 13

static const struct instruction {
    const char *name;
    uint8_t length, byte[5];
} instructions[] = {
    { "vmcall", 3, { 0x0f, 0x01, 0xc1 } },
    { "vmlaunch", 3, { 0x0f, 0x01, 0xc2 } },
    { "vmresume", 3, { 0x0f, 0x01, 0xc3 } },
    { "vmxoff", 3, { 0x0f, 0x01, 0xc4 } },
    { "vmfunc", 3, { 0x0f, 0x01, 0xd4 } },
    { "vmread", 3, { 0x0f, 0x78, 0xc8 } },
    { "vmread of memory", 3, { 0x0f, 0x78, 0x0f } },
    { "vmwrite", 3, { 0x0f, 0x79, 0xc8 } },
    { "vmptrld", 3, { 0x0f, 0xc7, 0x37 } },
    { "vmptrst", 3, { 0x0f, 0xc7, 0x3f } },
    { "vmclear", 4, { 0x66, 0x0f, 0xc7, 0x37 } },
    { "vmxon", 4, { 0xf3, 0x0f, 0xc7, 0x37 } },
    { "invept", 5, { 0x66, 0x0f, 0x38, 0x80, 0x0f } },
    { "invvpid", 5, { 0x66, 0x0f, 0x38, 0x81, 0x0f } },
    { "getsec", 2, { 0x0f, 0x37 } },
    { "rsm", 2, { 0x0f, 0xaa } },
    { "vmrun", 3, { 0x0f, 0x01, 0xd8 } },
    { "vmmcall", 3, { 0x0f, 0x01, 0xd9 } },
    { "vmload", 3, { 0x0f, 0x01, 0xda } },
    { "vmsave", 3, { 0x0f, 0x01, 0xdb } },
    { "stgi", 3, { 0x0f, 0x01, 0xdc } },
    { "clgi", 3, { 0x0f, 0x01, 0xdd } },
    { "skinit", 3, { 0x0f, 0x01, 0xde } },
    { "invlpga", 3, { 0x0f, 0x01, 0xdf } },
    { "vmgexit", 4, { 0xf3, 0x0f, 0x01, 0xd9 } },
};
static const uint8_t end[] = { 0x31, 0xd2, 0xf7, 0xf2 }; /* xor edx, edx; div edx: of 16 bits the same */

/* From LEGACY on they are legacy_run()'s. */
enum mode { LONG, USER, COMPATIBLE, LEGACY, MODES = LEGACY + 4 };
#define NO_CALL 0x1234ul /* no number of a hypercall */
static const char *const modes[] = { "64-bit mode",    "64-bit mode, ring 3", "compatibility mode", "protected mode",
                                     "16-bit segment", "virtual-8086 mode",   "real mode" };

static bool amdv_is_gp;
static unsigned wrong, vector;
static uint64_t rip, behind;
static uint8_t code[32];

/* Keep what has come, and go on behind the instruction, in the mode that it was tried in. */
static void on_exception(struct trap_frame *f)
{
    vector = (unsigned)f->vector;
    rip = f->rip;
    f->rip = behind;
}

static void call_long(void *unused)
{
    (void)unused;
    __asm__ volatile("call *%0" : : "r"((uintptr_t)code), "a"(NO_CALL), "D"(code) : "rdx", "memory");
}

static void jump_compatible(void *unused)
{
    (void)unused;
    __asm__ volatile("push %0; push %1; push $2; push %2; push %3; iretq"
                     :
                     : "i"(DATA), "r"((uintptr_t)code), "i"(CODE32), "r"((uintptr_t)code), "a"(NO_CALL), "D"(code)
                     : "rdx", "memory");
}

/* Write the instruction and what ends it. Returns the length of both. */
static unsigned write(const struct instruction *i, uint8_t *to)
{
    memcpy(to, i->byte, i->length);
    memcpy(to + i->length, end, sizeof(end));
    return i->length + (unsigned)sizeof(end);
}

/* Returns the exception that has ended it, as vector + 1. `at`: where the code is. */
static int run_long(const struct instruction *i, enum mode mode, uintptr_t at)
{
    unsigned n = write(i, code);
    behind = at + i->length;
    if (mode == USER)
        return user_run(code, n, 0);
    return guarded(mode == LONG ? call_long : jump_compatible, NULL);
}

static bool may_be_gp(const struct instruction *i)
{
    return amdv_is_gp && i->byte[1] == 0x01 && i->byte[2] >= 0xd8 && i->byte[2] <= 0xdf;
}

static void try(const struct instruction *i, enum mode mode)
{
    uintptr_t at = mode >= LEGACY ? TRIED : mode == USER ? (uintptr_t)user_words - 0x100000 : (uintptr_t)code;
    int last = DE + 1;
    vector = ~0u;
    if (mode < LEGACY) {
        last = run_long(i, mode, at);
    } else {
        write(i, (uint8_t *)TRIED);
        irq_off();
        legacy_run(mode - LEGACY);
        vector = legacy_vector;
        rip = legacy_ip;
    }
    if ((vector == UD || (vector == GP && may_be_gp(i))) && rip == at && last == DE + 1)
        return;
    if (wrong++ < 16)
        print("refused: %s in %s: exception %d at %lx, code at %lx\n", i->name, modes[mode], (int)vector, rip, at);
}

/* --- MSRs --------------------------------------------------------------------------------------- */

static const struct {
    uint32_t msr;
    uint64_t value;
} values[] = {
    { 0xc0000082, 1ull << 47 },         /* LSTAR: not canonical */
    { 0xc0000082, 0xffff7fffffffffff }, /* nor this one, below the upper half */
    { 0xc0000083, 1ull << 62 },         /* CSTAR */
    { 0xc0000084, 1ull << 32 },         /* SYSCALL_MASK has 32 bits */
    { 0xc0000101, 0x0000800000000000 }, /* GS.base */
    { 0xc0000102, 0x8000000000000000 }, /* KERNEL_GS_BASE */
    { 0x176, 0x0001000000000000 },      /* SYSENTER_EIP */
};
#define VALUES (sizeof(values) / sizeof(values[0]))

static void write_msr(void *n) { wrmsr(values[(uintptr_t)n].msr, values[(uintptr_t)n].value); }

static void try_msrs(void)
{
    unsigned refused = 0;
    for (uintptr_t i = 0; i < VALUES; i++) {
        uint64_t before = rdmsr(values[i].msr);
        bool right = guarded(write_msr, (void *)i) == GP + 1 && rdmsr(values[i].msr) == before;
        if (!right)
            print("refused: MSR %x takes %lx\n", values[i].msr, values[i].value);
        refused += right;
    }
    print("refused: %u of %u values of MSRs are #GP\n", refused, (unsigned)VALUES);
}

void guest_main(void)
{
    unsigned n = 0;
    amdv_is_gp = arg_number("gp", 0); /* before the first MiB is written, where the loader has put it */
    trap_install(UD, on_exception);
    trap_install(GP, on_exception);
    for (unsigned i = 0; i < sizeof(instructions) / sizeof(instructions[0]); i++)
        for (enum mode mode = LONG; mode < MODES; mode++, n++)
            try(&instructions[i], mode);
    print("refused: %s, %u instructions\n", wrong ? "WRONG" : "ok", n);
    trap_install(GP, NULL);
    try_msrs();
}
