/* SPDX-License-Identifier: MIT */
/* What Linux may ask of the kernel beneath it: only what is in order, and no memory before all CPUs have forgotten it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <arch/apic.h>
#include <arch/boot.h>
#include <attach/upcalls.h>
#include <board/linux.h>
#include <core/frames.h>
#include <errors.h>

#include "../../kernel/arch/x86/attach/linux_cpu.h"
#include "../../kernel/attach/given.h"

#define PIECE (2 * MIB)

static struct cpuid_regs answer(u32 leaf, u32 sub) { return (struct cpuid_regs){ .ebx = 8 << 8 }; } /* lines of 64 */
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub) = answer;
u64 host_cr4, written_pat, written_vm_cr, linux_space_version, unexpected_interrupts = 5;
struct cpu *host_this_cpu, *cpus[MAX_CPUS];
bool host_irq_on, cpus_stopping;
struct boot_info boot_info;
struct acpi_info machine;
struct attach_refused attach_refused = { 1, 2, ~0ul };

static struct linux_cpu l[2];
static struct vmcb vmcb[2];
static struct cpu core;
static unsigned cores, interrupts, prepared, asked;
static u64 free_memory, hidden, shown;
static int hide_error, map_error;
static bool guarding;
static u8 *memory; /* four pieces that exist */

u64 physical_limit(void) { return 1ul << 47; }
int linux_hide(paddr_t base, u64 size)
{
    if (!hide_error) {
        hidden += size;
        linux_space_version++;
    }
    return hide_error;
}
void linux_guard(bool on)
{
    guarding = on;
    linux_space_version++;
}
void linux_show(paddr_t base, u64 size) { shown += size; }
static unsigned written_back; /* whole caches, how often */
static u64 had_flushed;       /* what CPU 0 had flushed by then */
void wbinvd(void)
{
    written_back++;
    had_flushed = l[0].flushed;
}
static u64 lines, dirty; /* written back one by one; how many were not overwritten, or shown before */
void clflush(const void *line)
{
    u64 at = (u64)((const u8 *)line - memory);
    lines++;
    for (unsigned i = 0; i < 64; i++)
        dirty += memory[at + i] || shown > at;
}
paddr_t board_shared_base(void) { return 64 * GIB; }
u64 board_shared_size(void) { return PIECE; }
int paging_map(u64 va, paddr_t pa, u64 size, u64 flags) { return map_error; }
int frames_give(paddr_t base, u64 size)
{
    free_memory += size;
    return 0;
}
int frames_take(paddr_t base, u64 size)
{
    if (free_memory < size)
        return -EBUSY;
    free_memory -= size;
    return 0;
}
u64 frames_free_bytes(void) { return free_memory; }
void apic_icr(u32 dest, u32 command) { interrupts++; }
bool core_present(unsigned n) { return cores > n; }
unsigned cores_given(void) { return cores; }
int core_prepare(struct linux_cpu *which, u16 port, u16 other)
{
    prepared++;
    which->state = ATTACH_CPU_DYING;
    return 0;
}
void core_cancel(struct linux_cpu *which) { which->state = ATTACH_CPU_LINUX; }
int core_ask_back(struct linux_cpu *which)
{
    asked++;
    return 0;
}

static bool left;
static s64 call_on(unsigned cpu, u64 number, u64 a, u64 b)
{
    left = false;
    return attach_call(&l[cpu], number, a, b, &left);
}
static s64 call(u64 number, u64 a, u64 b) { return call_on(0, number, a, b); }

static int setup(void **state)
{
    memory = aligned_alloc(PIECE, 4 * PIECE);
    memset(memory, 0xaa, 4 * PIECE);
    memset(l, 0, sizeof(l));
    for (unsigned i = 0; i < 2; i++) {
        l[i].vmcb = &vmcb[i];
        l[i].apic_id = i;
        l[i].state = ATTACH_CPU_LINUX;
        linux_cpus[i] = &l[i];
    }
    n_linux_cpus = 2;
    cpus[0] = &core;
    cores = interrupts = prepared = asked = 0;
    cpus_stopping = false;
    free_memory = hidden = shown = 0;
    hide_error = map_error = 0;
    linux_space_version = 1;
    boot_info.n_regions = 1;
    boot_info.region[0] = (struct boot_region){ 16 * MIB, 8 * MIB, BOOT_MEM_RAM };
    machine.lapic = 0xfee00000;
    struct attach_boot boot = { .n_ram = 4 };
    boot.ram[0] = (struct attach_chunk){ 0, 512 * MIB };
    boot.ram[1] = (struct attach_chunk){ 512 * MIB, 3 * GIB / 2 }; /* adjacent */
    boot.ram[2] = (struct attach_chunk){ 4 * GIB, 60 * GIB + PIECE };
    boot.ram[3] = (struct attach_chunk){ (u64)memory, 4 * PIECE };
    if (attach_memory_init(&boot))
        return 1;
    if (call(ATTACH_CALL_GUARD, 1, 0))
        return 1;
    l[0].flushed = l[1].flushed = linux_space_version;
    return 0;
}

static int teardown(void **state)
{
    for (unsigned i = 0; i < 4; i++)
        call(ATTACH_CALL_MEM_TAKE, (u64)memory, 4 * PIECE);
    for (unsigned i = 0; i < 4; i++)
        call(ATTACH_CALL_MEM_SHOW, (u64)memory + i * PIECE, PIECE);
    cores = 0;
    call(ATTACH_CALL_GUARD, 0, 0);
    free(memory);
    return guarding || attach_memory_given() != 0;
}

static void strangers_get_nothing(void **state)
{
    assert_int_equal(call(ATTACH_CALL_PING, 0, 0), ATTACH_ABI);
    assert_int_equal(call(0, 0, 0), -ENOSYS);
    assert_int_equal(call(ATTACH_CALL_GUARD + 1, 0, 0), -ENOSYS);
    assert_int_equal(call(ATTACH_CALL_COUNT, ATTACH_COUNTS, 0), -EINVAL);
    assert_int_equal(call(ATTACH_CALL_COUNT, ~0ul, 0), -EINVAL);
    assert_true(call(ATTACH_CALL_COUNT, ATTACH_COUNT_REFUSED_RIP, 0) > 0); /* an address, and no error */
    assert_false(left);
}

static void leaves_when_nothing_is_given(void **state)
{
    cores = 1;
    assert_int_equal(call(ATTACH_CALL_DETACH, 0, 0), -EBUSY);
    assert_false(left);
    cores = 0;
    assert_int_equal(call(ATTACH_CALL_MEM_GIVE, (u64)memory, 4 * PIECE), 0);
    assert_int_equal(call(ATTACH_CALL_DETACH, 0, 0), -EBUSY);
    assert_int_equal(call(ATTACH_CALL_MEM_TAKE, (u64)memory, 4 * PIECE), 0);
    assert_int_equal(call(ATTACH_CALL_DETACH, 0, 0), -EBUSY); /* hidden still */
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(call(ATTACH_CALL_MEM_SHOW, (u64)memory + i * PIECE, PIECE), 0);
    assert_int_equal(call(ATTACH_CALL_DETACH, 0, 0), 0);
    assert_true(left);
}

static void nothing_is_given_unguarded(void **state)
{
    assert_int_equal(call(ATTACH_CALL_GUARD, 2, 0), -EINVAL);
    assert_int_equal(call(ATTACH_CALL_GUARD, 0, 0), 0);
    assert_false(guarding);
    assert_int_equal(call(ATTACH_CALL_MEM_GIVE, (u64)memory, PIECE), -EAGAIN);
    assert_int_equal(call(ATTACH_CALL_CPU_GIVE, 0, 0), -EAGAIN);
    assert_int_equal(call(ATTACH_CALL_GUARD, 1, 0), 0);
    assert_true(guarding);
    assert_int_equal(call(ATTACH_CALL_FLUSH, 0, 0), 0);
    assert_int_equal(call(ATTACH_CALL_MEM_GIVE, (u64)memory, PIECE),
                     -EAGAIN); /* the other CPU may still write commands */
    assert_int_equal(call(ATTACH_CALL_CPU_GIVE, 0, 0), -EAGAIN);
    assert_int_equal(call_on(1, ATTACH_CALL_FLUSH, 0, 0), 0);
    assert_int_equal(call(ATTACH_CALL_MEM_GIVE, (u64)memory, PIECE), 0);
    assert_int_equal(call(ATTACH_CALL_GUARD, 0, 0), -EBUSY);
    assert_true(guarding);
    assert_int_equal(call(ATTACH_CALL_MEM_TAKE, (u64)memory, PIECE), 0);
    assert_int_equal(call(ATTACH_CALL_MEM_SHOW, (u64)memory, PIECE), 0);
}

static void a_bare_cpu_is_a_way_around(void **state)
{
    assert_int_equal(call_on(1, ATTACH_CALL_DETACH, 0, 0), 0);
    assert_int_equal(l[1].state, ATTACH_CPU_BARE); /* at once: the other might give something now */
    assert_int_equal(call(ATTACH_CALL_MEM_GIVE, (u64)memory, PIECE), -EAGAIN);
    assert_int_equal(call(ATTACH_CALL_CPU_GIVE, 0, 0), -EAGAIN);
    assert_int_equal(call(ATTACH_CALL_GUARD, 1, 0), -ENODEV);
}

static void rings_only_who_is_there(void **state)
{
    assert_int_equal(call(ATTACH_CALL_NOTIFY, 0, 0), 0);
    assert_int_equal(interrupts, 0);
    cores = 1;
    assert_int_equal(call(ATTACH_CALL_NOTIFY, 0, 0), 0);
    assert_int_equal(call(ATTACH_CALL_NOTIFY, 1, 0), 0);
    assert_int_equal(call(ATTACH_CALL_NOTIFY, 2, 0), -EINVAL);
    assert_int_equal(interrupts, 2);
}

static void a_cpu_speaks_for_itself(void **state)
{
    assert_int_equal(call(ATTACH_CALL_CPU_CANCEL, 0, 0), -EINVAL);
    assert_int_equal(call(ATTACH_CALL_CPU_GIVE, 0x10000, 0), -EINVAL); /* no port */
    assert_int_equal(call(ATTACH_CALL_CPU_GIVE, 1, 1ul << 40), -EINVAL);
    assert_int_equal(call(ATTACH_CALL_CPU_GIVE, 1, 0), 0);
    assert_int_equal(l[0].state, ATTACH_CPU_DYING);
    assert_int_equal(l[1].state, ATTACH_CPU_LINUX);
    assert_int_equal(call(ATTACH_CALL_CPU_GIVE, 0, 0), -EBUSY);
    assert_int_equal(prepared, 1);
    assert_int_equal(call(ATTACH_CALL_CPU_CANCEL, 0, 0), 0);
    assert_int_equal(call(ATTACH_CALL_CPU_STATE, 0, 0), ATTACH_CPU_LINUX);
    assert_int_equal(call(ATTACH_CALL_CPU_STATE, 2, 0), -ENODEV);
    assert_int_equal(call(ATTACH_CALL_CPU_STATE, 1ul << 32, 0), -ENODEV);
    assert_int_equal(call(ATTACH_CALL_CPU_TAKE, 7, 0), -ENODEV);
    assert_int_equal(asked, 0);
}

static void only_sound_ranges(void **state)
{
    static const struct {
        u64 base, size;
        int error;
    } bad[] = {
        { GIB, 0, -EINVAL },
        { GIB + PAGE_SIZE, PIECE, -EINVAL },
        { GIB, PIECE + PAGE_SIZE, -EINVAL },
        { 1ul << 47, PIECE, -EINVAL },
        { (1ul << 47) - PIECE, 2 * PIECE, -EINVAL },
        { ~0ul & ~(PIECE - 1), PIECE, -EINVAL },
        { GIB, ~0ul & ~(PIECE - 1), -EINVAL },
        { 2 * GIB - PIECE, 2 * PIECE, -EINVAL },  /* some is no RAM, */
        { 2 * GIB, PIECE, -EINVAL },              /* none, */
        { 3 * GIB, PIECE, -EINVAL },              /* a device's, */
        { 80 * GIB, PIECE, -EINVAL },             /* more than there is */
        { 0, PIECE, -EEXIST },                    /* the first pages are everybody's */
        { 14 * MIB, 4 * MIB, -EEXIST },           /* our own */
        { 0xfee00000, PIECE, -EEXIST },           /* the local APIC */
        { 64 * GIB - PIECE, 2 * PIECE, -EEXIST }, /* the shared memory */
    };
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++)
        assert_int_equal(call(ATTACH_CALL_MEM_GIVE, bad[i].base, bad[i].size), bad[i].error);
    assert_int_equal(hidden, 0);
    assert_int_equal(call(ATTACH_CALL_MEM_GIVE, 512 * MIB - PIECE, 2 * PIECE), 0); /* across two entries of the map */
    assert_int_equal(call(ATTACH_CALL_MEM_TAKE, 512 * MIB - PIECE, 2 * PIECE), 0);
    assert_int_equal(call(ATTACH_CALL_MEM_SHOW, 512 * MIB - PIECE, PIECE), 0);
    assert_int_equal(call(ATTACH_CALL_MEM_SHOW, 512 * MIB, PIECE), 0);
    struct attach_boot too_many = { .n_ram = ATTACH_MAX_RAM + 1 };
    assert_int_equal(attach_memory_init(&too_many), -EINVAL);
    hide_error = -ENOMEM;
    assert_int_equal(call(ATTACH_CALL_MEM_GIVE, (u64)memory, PIECE), -ENOMEM);
    assert_int_equal(attach_memory_given(), 0);
}

static void used_when_all_have_flushed(void **state)
{
    assert_int_equal(call(ATTACH_CALL_MEM_GIVE, (u64)memory, 4 * PIECE), 0);
    assert_int_equal(call(ATTACH_CALL_MEM_GIVE, (u64)memory + PIECE, PIECE), -EEXIST);
    assert_int_equal(call(ATTACH_CALL_MEM_COMMIT, (u64)memory, PIECE), -ENOENT);
    assert_int_equal(call(ATTACH_CALL_MEM_COMMIT, (u64)memory, 4 * PIECE), -EAGAIN);
    assert_int_equal(call_on(0, ATTACH_CALL_FLUSH, 0, 0), 0);
    assert_int_equal(vmcb[0].tlb_control, TLB_FLUSH_ALL);
    assert_int_equal(call(ATTACH_CALL_MEM_COMMIT, (u64)memory, 4 * PIECE), -EAGAIN);
    l[1].state = ATTACH_CPU_DYING; /* it still runs Linux */
    assert_int_equal(call(ATTACH_CALL_MEM_COMMIT, (u64)memory, 4 * PIECE), -EAGAIN);
    l[1].state = ATTACH_CPU_BARE;
    map_error = -ENOMEM;
    assert_int_equal(call(ATTACH_CALL_MEM_COMMIT, (u64)memory, 4 * PIECE), -ENOMEM);
    map_error = -EEXIST; /* it was ours before */
    assert_int_equal(call(ATTACH_CALL_MEM_COMMIT, (u64)memory, 4 * PIECE), 0);
    assert_int_equal(free_memory, 4 * PIECE);
    assert_int_equal(call(ATTACH_CALL_MEM_COMMIT, (u64)memory, 4 * PIECE), -ENOENT);
    free_memory = PIECE; /* a domain has the rest */
    assert_int_equal(call(ATTACH_CALL_MEM_TAKE, (u64)memory, 4 * PIECE), -EBUSY);
    assert_int_equal(call(ATTACH_CALL_MEM_SHOW, (u64)memory, PIECE), -ENOENT);
    free_memory = 4 * PIECE;
    assert_int_equal(call(ATTACH_CALL_MEM_TAKE, (u64)memory, 4 * PIECE), 0);
    assert_int_equal(call(ATTACH_CALL_MEM_TAKE, (u64)memory, 4 * PIECE), -ENOENT);
    assert_int_equal(free_memory, 0);
}

static void caches_are_written_back_before_memory_changes_hands(void **state)
{
    assert_int_equal(call(ATTACH_CALL_MEM_GIVE, (u64)memory, 4 * PIECE), 0);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        written_back = 0;
        assert_int_equal(call(ATTACH_CALL_MEM_COMMIT, (u64)memory, 4 * PIECE), -EAGAIN);
        assert_int_equal(call_on(cpu, ATTACH_CALL_FLUSH, 0, 0), 0);
        assert_int_equal(written_back, 1);
        if (!cpu)
            assert_true(had_flushed < linux_space_version); /* it counts as done afterwards */
    }
    assert_int_equal(call(ATTACH_CALL_MEM_COMMIT, (u64)memory, 4 * PIECE), 0);
    memset(memory, 0x55, 4 * PIECE); /* a domain's secret */
    assert_int_equal(call(ATTACH_CALL_MEM_TAKE, (u64)memory, 4 * PIECE), 0);
    written_back = 0;
    lines = dirty = 0;
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(call(ATTACH_CALL_MEM_SHOW, (u64)memory + i * PIECE, PIECE), 0);
    assert_int_equal(written_back, 0); /* a domain's caches are not emptied with them */
    assert_int_equal(lines, 4 * PIECE / 64);
    assert_int_equal(dirty, 0);
}

static void scrubbed_before_it_is_shown(void **state)
{
    l[0].flushed = l[1].flushed = ~0ul;
    assert_int_equal(call(ATTACH_CALL_MEM_GIVE, (u64)memory, 4 * PIECE), 0);
    assert_int_equal(call(ATTACH_CALL_MEM_COMMIT, (u64)memory, 4 * PIECE), 0);
    assert_int_equal(call(ATTACH_CALL_MEM_TAKE, (u64)memory, 4 * PIECE), 0);
    assert_int_equal(call(ATTACH_CALL_MEM_SHOW, (u64)memory + PIECE, PIECE), -ENOENT); /* in order */
    assert_int_equal(call(ATTACH_CALL_MEM_SHOW, (u64)memory, 2 * PIECE), -ENOENT);
    assert_int_equal(shown, 0);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(memory[i * PIECE + 5], 0xaa);
        assert_int_equal(call(ATTACH_CALL_MEM_SHOW, (u64)memory + i * PIECE, PIECE), 0);
        assert_true(memory[i * PIECE] == 0 && memory[(i + 1) * PIECE - 1] == 0);
        assert_int_equal(shown, (i + 1) * PIECE);
    }
    assert_int_equal(attach_memory_given(), 0);
}

/* A memory block of Linux may have 128 MiB only, and a machine of these 32 GiB. */
static void each_block_of_linuxs_can_be_given(void **state)
{
    l[0].flushed = l[1].flushed = ~0ul;
    for (u64 i = 0; i < 256; i++)
        assert_int_equal(call(ATTACH_CALL_MEM_GIVE, 4 * GIB + 2 * i * PIECE, PIECE), 0);
    assert_int_equal(call(ATTACH_CALL_MEM_GIVE, 4 * GIB + 512 * PIECE, PIECE), -ENOSPC);
    for (u64 i = 0; i < 256; i++) {
        assert_int_equal(call(ATTACH_CALL_MEM_TAKE, 4 * GIB + 2 * i * PIECE, PIECE), 0);
        assert_int_equal(call(ATTACH_CALL_MEM_SHOW, 4 * GIB + 2 * i * PIECE, PIECE), 0);
    }
}

static void before_a_reset_what_may_be_ours_is_overwritten(void **state)
{
    l[0].flushed = l[1].flushed = ~0ul;
    assert_int_equal(call(ATTACH_CALL_MEM_GIVE, (u64)memory, 2 * PIECE), 0);
    assert_int_equal(call(ATTACH_CALL_MEM_GIVE, (u64)memory + 2 * PIECE, 2 * PIECE), 0);
    assert_int_equal(call(ATTACH_CALL_MEM_COMMIT, (u64)memory, 2 * PIECE), 0);
    attach_memory_scrub();
    for (unsigned i = 0; i < 2 * PIECE; i++)
        assert_int_equal(memory[i], 0);
    assert_true(memory[2 * PIECE] == 0xaa && memory[4 * PIECE - 1] == 0xaa); /* hidden, and nobody has used it */
    assert_int_equal(call(ATTACH_CALL_MEM_TAKE, (u64)memory, 2 * PIECE), 0);
    memset(memory, 0x55, 2 * PIECE);
    attach_memory_scrub(); /* on its way back */
    assert_true(memory[0] == 0 && memory[2 * PIECE - 1] == 0);
    assert_int_equal(call(ATTACH_CALL_MEM_TAKE, (u64)memory + 2 * PIECE, 2 * PIECE), 0);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(call(ATTACH_CALL_MEM_SHOW, (u64)memory + i * PIECE, PIECE), 0);
}

/* Its cores have stopped with their locks: who waits for one, or for attach's own behind it, waits for ever. */
static void a_kernel_that_has_panicked_is_asked_for_nothing_behind_a_lock(void **state)
{
    assert_int_equal(call(ATTACH_CALL_MEM_GIVE, (u64)memory, PIECE), 0);
    call(ATTACH_CALL_FLUSH, 0, 0);
    call_on(1, ATTACH_CALL_FLUSH, 0, 0);
    cpus_stopping = true;
    assert_int_equal(call(ATTACH_CALL_COUNT, ATTACH_COUNT_FREE, 0), -EIO);
    assert_int_equal(call(ATTACH_CALL_MEM_COMMIT, (u64)memory, PIECE), -EIO);
    assert_int_equal(call(ATTACH_CALL_MEM_TAKE, (u64)memory, PIECE), -EIO);
    assert_int_equal(call(ATTACH_CALL_MEM_GIVE, (u64)memory + PIECE, PIECE), -EIO);
    assert_int_equal(call(ATTACH_CALL_CPU_GIVE, 0, 0), -EIO);
    assert_int_equal(call(ATTACH_CALL_CPU_TAKE, 1, 0), -EIO);
    assert_true(asked == 0 && prepared == 0 && free_memory == 0);
    assert_int_equal(call(ATTACH_CALL_COUNT, ATTACH_COUNT_GIVEN, 0), PIECE);
    assert_int_equal(call(ATTACH_CALL_CPU_STATE, 1, 0), ATTACH_CPU_LINUX);
    cpus_stopping = false;
    assert_int_equal(call(ATTACH_CALL_MEM_TAKE, (u64)memory, PIECE), 0);
    assert_int_equal(call(ATTACH_CALL_MEM_SHOW, (u64)memory, PIECE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(strangers_get_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(leaves_when_nothing_is_given, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_is_given_unguarded, setup, teardown),
        cmocka_unit_test_setup_teardown(a_bare_cpu_is_a_way_around, setup, teardown),
        cmocka_unit_test_setup_teardown(rings_only_who_is_there, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cpu_speaks_for_itself, setup, teardown),
        cmocka_unit_test_setup_teardown(only_sound_ranges, setup, teardown),
        cmocka_unit_test_setup_teardown(used_when_all_have_flushed, setup, teardown),
        cmocka_unit_test_setup_teardown(caches_are_written_back_before_memory_changes_hands, setup, teardown),
        cmocka_unit_test_setup_teardown(scrubbed_before_it_is_shown, setup, teardown),
        cmocka_unit_test_setup_teardown(each_block_of_linuxs_can_be_given, setup, teardown),
        cmocka_unit_test_setup_teardown(before_a_reset_what_may_be_ours_is_overwritten, setup, teardown),
        cmocka_unit_test_setup_teardown(a_kernel_that_has_panicked_is_asked_for_nothing_behind_a_lock, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
