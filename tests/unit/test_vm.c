/* SPDX-License-Identifier: MIT */
/* A VM that starts again finds nothing of its former life: not in its memory, whoever still wrote there, and no timer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <core/cpu.h>
#include <core/frames.h>
#include <core/init.h>
#include <core/log.h>
#include <errors.h>
#include <vm/machine_check.h>
#include <vm/vm.h>

#define RAM (2 * MIB)

struct cpu *host_this_cpu;
bool host_irq_on = true;
ticks_t host_now = 1;

static u8 ram[RAM] __aligned(4096);
static u8 pages[8][PAGE_SIZE] __aligned(4096);
static struct sys_domain conf = { .name = "guest", .memory = RAM, .n_vcpus = 2 };
static struct domain domain = { .conf = &conf };
static struct thread threads[2];
static const struct domain_ops *ops;
static bool peer_sends, at_work,
    armed; /* a frame on its way; a timer of the guest's whose function runs; one that will */
static unsigned joined, started;

/* --- what vm.c stands on ------------------------------------------------------------------------------- */

void *page_alloc(void)
{
    static unsigned n;
    return pages[n++];
}
static const u64 *pieces; /* MiB of those that are left, largest first; NULL: memory is whole */
static paddr_t piece_at;
paddr_t frames_alloc(u64 n, u64 align) { return pieces ? (paddr_t)-1 : (paddr_t)(uintptr_t)ram; }
paddr_t frames_alloc_longest(u64 *n, u64 align)
{
    assert_int_equal(align, 2 * MIB);
    if (!*pieces)
        return (paddr_t)-1;
    *n = *n < *pieces * 256 ? *n : *pieces * 256;
    pieces++;
    return piece_at += GIB;
}
void clear_pages(void *at, u64 count) { memset(at, 0, count << PAGE_SHIFT); }
int stage2_init(struct stage2 *s2) { return 0; }
static u64 mapped; /* bytes */
int stage2_map(struct stage2 *s2, gpa_t gpa, paddr_t pa, u64 size, unsigned prot)
{
    mapped += size;
    return 0;
}
int stage2_unmap(struct stage2 *s2, gpa_t gpa, u64 size) { return 0; }
int hal_guest_enable(void) { return 0; }
int hal_vcpu_create(struct hal_vcpu *v, struct stage2 *s2, unsigned index) { return 0; }
void machine_vcpu_init(struct vcpu *v) {}
int machine_create(struct vm *vm) { return 0; }
void domain_register_kind(unsigned kind, const struct domain_ops *o) { ops = o; }
bool machine_interruptible(const struct vcpu *v) { return false; }
/* RAM in two places, as a PC's is. */
int machine_memory(struct vm *vm, u64 size)
{
    int err = vm_add_memory(vm, 0, MIN(size, 3 * GIB));
    return err || size <= 3 * GIB ? err : vm_add_memory(vm, 4 * GIB, size - 3 * GIB);
}
void machine_input(struct vm *vm, u8 byte) {}
void machine_stats(struct vm *vm) {}
const char *machine_check(const struct sys_header *h, const struct sys_domain *d) { return NULL; }
gpa_t machine_channel_at(unsigned n) { return n * MIB; }
unsigned machine_channel_line(unsigned n) { return n; }
static unsigned requests;
void vcpu_request(struct vcpu *v, u32 request) { requests++; }
void vcpu_thread(void *v) {}
void vm_irq_line(struct vm *vm, unsigned gsi, bool level) {}
void vm_destroy(struct domain *d) {}
void console_write(unsigned source, const char *text, size_t len) {}
size_t console_offer(unsigned source, const char *text, size_t len) { return len; }
void printk(const char *fmt, ...) {}
int ksnprintf(char *buf, size_t size, const char *fmt, ...) { return 0; }
static void (*watchdog_fires)(void *);
void timer_init(struct timer *t, void (*fn)(void *), void *arg) { watchdog_fires = fn; }
void timer_arm(struct timer *t, ticks_t deadline) {}
bool timer_cancel(struct timer *t) { return true; }
ticks_t time_from_ns(u64 ns) { return ns; }

struct thread *thread_create(const char *name, unsigned cpu, unsigned prio, void (*entry)(void *), void *arg,
                             struct domain *d, bool fpu)
{
    return &threads[((struct vcpu *)arg)->id];
}
void thread_start(struct thread *t) { started++; }
void thread_discard(struct thread *t) {}
void thread_join(struct thread *t) { joined++; }

struct thread *thread_take(struct thread **at, unsigned cpu)
{
    struct thread *t = *at;
    *at = NULL;
    return t;
}

/* A device writes what a peer sends until the moment that it is reset; joined threads write nothing any more. */
void vm_devices_reset(struct vm *vm)
{
    assert_int_equal(joined % 2, 0);
    for (unsigned i = 0; i < 2; i++)
        assert_null(vm->vcpu[i]->thread); /* what the reset kicks is nobody */
    if (peer_sends)
        ram[0x12345] = 0x42;
    peer_sends = false;
}

static bool late_watchdog;

void machine_cancel_timers(struct vm *vm)
{
    armed = false;
    if (late_watchdog)
        watchdog_fires(vm);
    late_watchdog = false;
}

/* A timer's function that runs on another core may arm its timer again before it returns. */
void timers_synchronize(void)
{
    armed = at_work;
    at_work = false;
}

int machine_start(struct vm *vm, const char **why)
{
    assert_false(armed || at_work);
    for (unsigned i = 0; i < RAM; i++)
        assert_int_equal(ram[i], 0);
    return 0;
}

static void start(void) { assert_int_equal(ops->start(&domain), 0); }

static void the_first_life_begins_in_clean_memory(void **state)
{
    memset(ram, 0xaa, RAM);
    start();
    assert_int_equal(started, 2);
    assert_int_equal(joined, 0);
}

static void the_second_finds_nothing_of_the_first(void **state)
{
    memset(ram, 0xaa, RAM);
    peer_sends = true;
    start();
    assert_int_equal(joined, 2);
    assert_int_equal(started, 4);
}

static void a_timer_at_work_has_ended_before_it(void **state)
{
    at_work = armed = true;
    start();
}

/* Of the former life: it must not end the one that begins, nor be taken for the end that this one asks for. */
static void a_watchdog_that_was_armed_again_ends_nobody(void **state)
{
    late_watchdog = true;
    start();
    assert_int_equal(vm_of(&domain)->end, END_NONE);
}

/* The processor steps through one vCPU's end; before instruction number `at` another vCPU asks for another one. */
static unsigned at, steps;
static void step(int number)
{
    if (++steps == at)
        vm_reset(vm_of(&domain), "by port");
}
static __noinline void set_trap_flag(bool on)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; andl $~0x100, (%%rsp); orl %0, (%%rsp); popfq; "
                     "lea 128(%%rsp), %%rsp" ::"r"(on ? 0x100 : 0)
                     : "memory", "cc");
}

static void of_two_that_end_it_at_once_one_says_how_and_why(void **state)
{
    struct vm *vm = vm_of(&domain);
    unsigned resets = 0, offs = 0;
    signal(SIGTRAP, step);
    for (at = 1; at == 1 || steps >= at - 1; at++) {
        vm->end = END_NONE;
        requests = steps = 0;
        set_trap_flag(true);
        vm_power_off(vm);
        set_trap_flag(false);
        bool reset = vm->end == END_RESET;
        assert_string_equal(vm->end_why, reset ? "by port" : "the guest powered off");
        assert_int_equal(requests, 1); /* when it was requested the reason stood */
        resets += reset;
        offs += !reset;
    }
    assert_true(resets > 5 && offs > 5);
    vm->end = END_NONE;
}

/* With 3 GiB and more no machine has it in one piece: the hole for devices cuts it at the latest. */
static void memory_is_put_together_of_what_there_is(void **state)
{
    static struct sys_domain large = { .name = "large", .memory = 3 * GIB + 600 * MIB };
    static struct domain other = { .conf = &large };
    pieces = (const u64[]){ 2000, 1500, 400, 100, 200, 0 };
    mapped = 0;
    assert_int_equal(ops->create(&other), 0);
    const struct guest_memory *m = vm_memory(vm_of(&other));
    static const u64 at[] = { 0, 2000, 4096, 4496, 4596 }, size[] = { 2000, 1072, 400, 100, 100 };
    assert_int_equal(m->n, 5);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(m->range[i].gpa, at[i] * MIB);
        assert_int_equal(m->range[i].size, size[i] * MIB);
        assert_int_equal(virt_to_phys(m->range[i].host), (i + 1) * GIB);
    }
    assert_int_equal(mapped, large.memory);
    pieces = (const u64[]){ 2000, 1000, 0 };
    assert_int_equal(ops->create(&other), -ENOMEM);
    pieces = (const u64[]){ 100, 100, 100, 100, 100, 100, 100, 100, 100, 0 }; /* one more than a guest can have */
    large.memory = 900 * MIB;
    assert_int_equal(ops->create(&other), -ENOMEM);
}

static int setup(void **state)
{
    for (const init_call *call = __initcalls_start; call < __initcalls_end; call++)
        (*call)();
    return ops->create(&domain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_life_begins_in_clean_memory),
        cmocka_unit_test(the_second_finds_nothing_of_the_first),
        cmocka_unit_test(a_timer_at_work_has_ended_before_it),
        cmocka_unit_test(a_watchdog_that_was_armed_again_ends_nobody),
        cmocka_unit_test(of_two_that_end_it_at_once_one_says_how_and_why),
        cmocka_unit_test(memory_is_put_together_of_what_there_is),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
