/* SPDX-License-Identifier: MIT */
/*
 * Random calls of a Linux's CPUs to the kernel beneath it, arguments near what makes sense. Whatever comes: memory is
 * used only when it is hidden and every CPU has forgotten it, shown only when it is out of use and scrubbed, and no CPU
 * leaves while anything is given; and nothing is given unless interrupt commands are guarded on every CPU and none is
 * bare.
 */
#include <stdlib.h>
#include <string.h>
#include <arch/apic.h>
#include <arch/boot.h>
#include <attach/upcalls.h>
#include <board/linux.h>
#include <core/frames.h>
#include <errors.h>

#include "../../kernel/arch/x86/attach/linux_cpu.h"
#include "../../kernel/attach/given.h"

#define PIECE  (2 * MIB)
#define PIECES 6
#define CPUS   3
#define must(cond)                                                                                                     \
    do {                                                                                                               \
        if (!(cond))                                                                                                   \
            abort();                                                                                                   \
    } while (0)

static struct cpuid_regs answer(u32 leaf, u32 sub) { return (struct cpuid_regs){ .ebx = 8 << 8 }; } /* lines of 64 */
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub) = answer;
u64 host_cr4, written_pat, written_vm_cr, linux_space_version, unexpected_interrupts;
struct cpu *host_this_cpu, *cpus[MAX_CPUS];
bool host_irq_on, cpus_stopping;
struct boot_info boot_info;
struct acpi_info machine;
struct attach_refused attach_refused;

static struct linux_cpu l[CPUS];
static struct vmcb vmcb[CPUS];
static struct cpu core;
static u8 *memory;
static struct {
    bool hidden, ours, used;
    bool knows[CPUS]; /* that CPU may still reach it */
} piece[PIECES];

void wbinvd(void) {}
void clflush(const void *line) {}

static bool guarding, unguarded[CPUS]; /* that CPU may still send what it likes */

static void must_be_guarded(void)
{
    must(guarding);
    for (unsigned c = 0; c < CPUS; c++)
        must(l[c].state != ATTACH_CPU_BARE && !unguarded[c]);
}

void linux_guard(bool on)
{
    must(on || (!attach_memory_given() && !cores_given()));
    guarding = on;
    for (unsigned c = 0; on && c < CPUS; c++)
        unguarded[c] = l[c].state == ATTACH_CPU_LINUX || l[c].state == ATTACH_CPU_DYING;
    linux_space_version++;
}

static unsigned first(paddr_t base) { return (unsigned)((base - (u64)memory) / PIECE); }
static bool inside(paddr_t base, u64 size)
{
    return base >= (u64)memory && size <= PIECES * PIECE && base - (u64)memory <= PIECES * PIECE - size;
}

u64 physical_limit(void) { return 1ul << 47; }
int linux_hide(paddr_t base, u64 size)
{
    must_be_guarded();
    if (!inside(base, size))
        return -ENOMEM;
    must(first(base + size) < PIECES);
    for (unsigned i = first(base); i < first(base + size); i++) {
        must(!piece[i].hidden);
        piece[i].hidden = true;
        for (unsigned c = 0; c < CPUS; c++)
            piece[i].knows[c] = l[c].state == ATTACH_CPU_LINUX || l[c].state == ATTACH_CPU_DYING;
    }
    linux_space_version++;
    return 0;
}
void linux_show(paddr_t base, u64 size)
{
    must(inside(base, size) && size == PIECE);
    unsigned i = first(base);
    must(piece[i].hidden && !piece[i].ours);
    if (piece[i].used)
        for (u64 at = 0; at < PIECE; at += 4096)
            must(!memory[i * PIECE + at]);
    piece[i].hidden = piece[i].used = false;
}
paddr_t board_shared_base(void) { return 64 * GIB; }
u64 board_shared_size(void) { return PIECE; }
int paging_map(u64 va, paddr_t pa, u64 size, u64 flags) { return 0; }
int frames_give(paddr_t base, u64 size)
{
    must(inside(base, size));
    for (unsigned i = first(base); i < first(base + size); i++) {
        must(piece[i].hidden && !piece[i].ours);
        for (unsigned c = 0; c < CPUS; c++)
            must(!piece[i].knows[c]);
        piece[i].ours = piece[i].used = true;
        memset(memory + i * PIECE, 0x55, PIECE);
    }
    return 0;
}
int frames_take(paddr_t base, u64 size)
{
    for (unsigned i = first(base); i < first(base + size); i++) {
        must(piece[i].ours);
        piece[i].ours = false;
    }
    return 0;
}
u64 frames_free_bytes(void) { return 0; }
void apic_icr(u32 dest, u32 command) {}
bool core_present(unsigned n) { return cores_given(); }
unsigned cores_given(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < CPUS; i++)
        n += l[i].state == ATTACH_CPU_DYING || l[i].state == ATTACH_CPU_CORE || l[i].state == ATTACH_CPU_PARKED;
    return n;
}
int core_prepare(struct linux_cpu *which, u16 port, u16 other)
{
    must_be_guarded();
    which->state = ATTACH_CPU_DYING;
    return 0;
}
void core_cancel(struct linux_cpu *which) { which->state = ATTACH_CPU_LINUX; }
int core_ask_back(struct linux_cpu *which)
{
    if (which->state != ATTACH_CPU_CORE)
        return -ENODEV;
    which->state = ATTACH_CPU_PARKED;
    return 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* It enters with an empty translation buffer. */
static void attach(struct linux_cpu *who)
{
    *who = (struct linux_cpu){
        .vmcb = &vmcb[who - l], .apic_id = (u32)(who - l), .state = ATTACH_CPU_LINUX, .flushed = linux_space_version
    };
    unguarded[who - l] = false;
    for (unsigned i = 0; i < PIECES; i++)
        piece[i].knows[who - l] = false;
}

static void call(const u8 *p)
{
    static const u64 odd[] = { 0, 1, PAGE_SIZE, ~0ul, ~0ul << 21, 1ul << 47, 64 * GIB, 0xfee00000 & ~(PIECE - 1) };
    struct linux_cpu *who = &l[(p[0] >> 5 & 3) % CPUS];
    u64 number = ATTACH_CALL_PING + (p[0] & 15), a = (u64)memory + (p[1] & 7) * PIECE, b = (p[2] & 7) * PIECE;
    if (p[1] & 0x80)
        a = p[1] & 0x40 ? odd[p[1] & 7] : p[1] & 7;
    if (p[2] & 0x80)
        b = odd[p[2] & 7];
    if (who->state == ATTACH_CPU_BARE)
        attach(who);
    if (who->state != ATTACH_CPU_LINUX && who->state != ATTACH_CPU_DYING)
        who = &l[2]; /* one always runs Linux */
    bool leave = false;
    s64 result = attach_call(who, number, a, b, &leave);
    if (number == ATTACH_CALL_FLUSH)
        unguarded[who - l] = false;
    if (number == ATTACH_CALL_FLUSH)
        for (unsigned i = 0; i < PIECES; i++)
            piece[i].knows[who - l] = false;
    must(leave == (number == ATTACH_CALL_DETACH && !result));
    must(!leave || (!attach_memory_given() && !cores_given()));
    if (p[0] & 0x80 && who != &l[2] && who->state == ATTACH_CPU_DYING) {
        who->state = ATTACH_CPU_CORE; /* its last HLT */
        for (unsigned i = 0; i < PIECES; i++)
            piece[i].knows[who - l] = false;
    }
    if (who == &l[2] && who->state == ATTACH_CPU_BARE)
        attach(who);
    if (who == &l[2])
        who->state = ATTACH_CPU_LINUX;
}

static void give_everything_back(void)
{
    for (unsigned n = 1; n <= PIECES; n++)
        for (unsigned i = 0; i + n <= PIECES; i++) {
            bool leave;
            attach_call(&l[2], ATTACH_CALL_MEM_TAKE, (u64)memory + i * PIECE, n * PIECE, &leave);
        }
    for (unsigned i = 0; i < PIECES; i++) {
        bool leave;
        attach_call(&l[2], ATTACH_CALL_MEM_SHOW, (u64)memory + i * PIECE, PIECE, &leave);
        must(!piece[i].hidden);
    }
    must(!attach_memory_given());
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    if (!memory)
        memory = aligned_alloc(PIECE, PIECES * PIECE);
    struct attach_boot boot = { .n_ram = 1 }; /* the last piece is a device */
    boot.ram[0] = (struct attach_chunk){ (u64)memory, (PIECES - 1) * PIECE };
    must(!attach_memory_init(&boot));
    cpus[0] = &core;
    n_linux_cpus = CPUS;
    for (unsigned i = 0; i < CPUS; i++) {
        attach(&l[i]);
        linux_cpus[i] = &l[i];
    }
    must(!attach_guard(0));
    for (; size >= 3; data += 3, size -= 3)
        call(data);
    give_everything_back();
    return 0;
}
