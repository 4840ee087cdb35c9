/* SPDX-License-Identifier: MIT */
/* partition_test.h - the partition core on one fake core of a ppc405; time moves by hand. */
#ifndef AMALGAM_TESTS_PARTITION_TEST_H
#define AMALGAM_TESTS_PARTITION_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include <arch/devices.h>
#include <arch/regs.h>
#include <partition/policy.h>
#include <partition/ready.h>
#include <partition/vm.h>
#include <partition/shared.h>
#include <partition/pt.h>
#include "../../kernel/partition/sched.c" /* a core's own state begins anew in each test */

#define MS     333333u
#define MEMORY ((u8 *)(uintptr_t)PT_VM_MEMORY)

struct partition_core core;
struct shared shared;
struct core_times core_times[PT_CORES];
struct vm_record vm_records[PT_VMS];
u32 core_count;
static u32 now;
static u32 alarm_of[PT_VMS]; /* a VM's own timer; 0: none */
static bool board_over;
static jmp_buf after_the_end;

u32 time_base(void) { return now; }
void hal_alarm_update(void) {}
static struct vm *saved; /* since the last alarm */
void hal_save(void)
{
    for (u32 i = 0; core.current && i <= PRIORITIES; i++)
        assert_false(shared.ready.map[i] & vm_bit(core.current->id)); /* another core may run it already */
    saved = core.current;
}
void hal_switch(struct vm *next)
{
    assert_ptr_equal(saved, core.current);
    core.current = saved = next;
}
void hal_report(const char *what, u32 a, u32 b) {}
static u32 reports; /* lines about events */
void hal_report_event(u32 id, const char *what, u32 a, u32 b) { reports++; }
extern u32 rung;           /* which core's bell, plus 1 (partition_bell.c) */
void hal_board_reset(void) /* does not return */
{
    board_over = true;
    longjmp(after_the_end, 1);
}
static u32 cleared[PT_VMS]; /* pieces */
void vm_context_clear(struct vm *vm, u32 piece) { cleared[vm->id] |= 1u << piece; }
void vm_context_reset(struct vm *vm) { vm->ctx.pc = vm->conf->entry; }
void code_written(void *p, u32 size) {}
static u32 opened[PT_VMS]; /* how often a VM got its open tunnels */
void guest_tunnels_open(struct vm *vm) { opened[vm->id]++; }
static bool noisy; /* somebody knocks again while it is answered */
void guest_input(struct vm *vm) { vm->part.knock = noisy; }
#ifndef REAL_TIMERS /* else the test links vm/ppc405/timers.c */
u32 guest_timers_left(const struct vm *vm, u32 t)
{
    u32 due = alarm_of[vm->id];
    if (!due)
        return TIMERS_FAR;
    return time_after_eq(t, due) ? 0 : due - t;
}
void guest_timers_run(struct vm *vm, u32 t)
{
    if (alarm_of[vm->id] && time_after_eq(t, alarm_of[vm->id])) {
        alarm_of[vm->id] = 0;
        vm->pending = VMP_PIT;
    }
}
#endif

/* --- a table: VMs 0, 1 bound to core 0 with windows; 2, 3, 4 in the pool, 4 the most urgent --- */
static struct {
    struct pt_header h;
    struct pt_vm vms[5];
    struct pt_frame frames[2];
    struct pt_window windows[4];
    struct pt_segment segments[1];
    struct pt_tunnel tunnels[2]; /* n_tunnels is 1 */
    u8 image[2048];
} *table = (void *)PT_ADDRESS;

static u32 crc(const u8 *p, u32 n)
{
    u32 c = ~0u;
    for (u32 i = 0; i < n; i++) {
        c ^= p[i];
        for (u32 bit = 0; bit < 8; bit++)
            c = c & 1 ? (c >> 1) ^ 0xedb88320u : c >> 1;
    }
    return ~c;
}

static void seal(void)
{
    table->h.crc32 = 0;
    table->h.crc32 = crc((const u8 *)table, table->h.table_size);
}

static int setup(void **state)
{
    memset(table, 0, sizeof(*table));
    memset(&shared, 0, sizeof(shared));
    memset(core_times, 0, sizeof(core_times));
    memset(vm_records, 0, sizeof(vm_records));
    memset(MEMORY, 0xee, 0x5000);
    memset(alarm_of, 0, sizeof(alarm_of));
    core = (struct partition_core){ 0 };
    current_slot = (struct slot){ 0 };
    holder = kept = sleeper = NULL;
    rested = soon = false;
    pool_lost = false;
    pool_word = shared.lock.word;
    pool_mine = 0;
    board_over = noisy = false;
    saved = NULL;
    now = 0xffff0000u; /* the counter wraps soon */
    core_count = 1;
    table->h = (struct pt_header){ .magic = PT_MAGIC,
                                   .version = PT_VERSION,
                                   .header_size = sizeof(struct pt_header),
                                   .table_size = offsetof(typeof(*table), image),
                                   .image_size = sizeof(*table),
                                   .n_vms = 5,
                                   .n_cores = 1,
                                   .n_plans = 2,
                                   .n_windows = 4,
                                   .n_segments = 1,
                                   .n_tunnels = 1,
                                   .off_vms = offsetof(typeof(*table), vms),
                                   .off_frames = offsetof(typeof(*table), frames),
                                   .off_windows = offsetof(typeof(*table), windows),
                                   .off_segments = offsetof(typeof(*table), segments),
                                   .off_tunnels = offsetof(typeof(*table), tunnels) };
    for (u32 i = 0; i < 5; i++)
        table->vms[i] = (struct pt_vm){ .base = PT_VM_MEMORY + i * 0x1000,
                                        .size = 0x1000,
                                        .entry = 0x100,
                                        .cores = 1,
                                        .flags = PT_AUTOSTART | (i >= 2 ? PT_BACKGROUND : 0),
                                        .prio = i == 4 ? 1 : 3,
                                        .n_segments = 1,
                                        .plan = 1 };
    table->segments[0] = (struct pt_segment){ offsetof(typeof(*table), image), 0x10, sizeof(table->image) };
    table->tunnels[0] = (struct pt_tunnel){ .base = PT_VM_MEMORY + 0x5000, .size = 0x1000, .ends = { 0, 4 } };
    table->tunnels[1] = (struct pt_tunnel){ .base = PT_VM_MEMORY + 0x6000, .size = 0x1000, .ends = { 0, 2 } };
    memset(table->image, 0x55, sizeof(table->image));
    /* plan 0: VM 0 for 2 ms, VM 1 for 1 ms, the pool for 3 ms; plan 1: VM 0 alone */
    table->frames[0] = (struct pt_frame){ 0, 3 };
    table->frames[1] = (struct pt_frame){ 3, 1 };
    table->windows[0] = (struct pt_window){ .vm = 0, .ticks = 2 * MS };
    table->windows[1] = (struct pt_window){ .vm = 1, .ticks = MS };
    table->windows[2] = (struct pt_window){ .vm = PT_ANY, .ticks = 3 * MS };
    table->windows[3] = (struct pt_window){ .vm = 0, .ticks = 2 * MS };
    seal();
    return 0;
}

/* What start.c does, with everything loaded unless a test looks at the loading. */
static void boot(bool loaded)
{
    for (u32 i = 0; i < 5; i++) {
        struct vm *vm = vm_of(i);
        vm->id = (u8)i;
        vm->conf = &table->vms[i];
        vm->base = vm->conf->base;
        vm->size = vm->conf->size;
        vm->flags = vm->conf->flags;
        vm->part.restarts_left = vm->conf->restarts;
        vm_start(vm);
        if (loaded)
            vm->part.load = LOAD_DONE;
        if (i >= 2) {
            pool_add(vm);
            pool_mine |= vm_bit(i);
        }
    }
    sched_first(now);
}

/* Until `t` ticks from now, as the hardware's alarm would. */
static void pass(u32 t)
{
    u32 end = now + t;
    for (unsigned n = 0; time_after_eq(end, core.window_due); n++) {
        assert_true(n < 100000);
        if (!time_after_eq(now, core.window_due))
            now = core.window_due;
        saved = NULL; /* it has run since then */
        partition_alarm(now);
        if (core.window_due == now)
            now += 100; /* a step of loading */
    }
    if (!time_after_eq(now, end))
        now = end;
}

/* It waits, and the alarm that is due for it is taken. */
static inline void sleeps(u32 id)
{
    partition_sleep(vm_of(id));
    pass(0);
}

/* A monitor's order to VM `id`: ORDER_START or 0, stop. */
static inline void order(u32 id, u32 kind)
{
    struct partition *part = &vm_of(id)->part;
    part->order = ((part->order + ORDER_COUNT) & ~(ORDER_COUNT - 1)) | kind;
}

static inline int running(void) { return core.current ? core.current->id : -1; }

/* The tests' group setup: memory where the kernel has it. */
static int map_memory(void **state)
{
    void *fixed = mmap((void *)PT_ADDRESS, 0x10000, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    void *memory =
        mmap(MEMORY, 0x10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    return fixed == MAP_FAILED || memory == MAP_FAILED;
}

/* Without the search for leaks, which trips over memory below the program. */
static __attribute__((noreturn)) void leave(int failed)
{
    fflush(stdout);
    _exit(failed);
}

#endif
