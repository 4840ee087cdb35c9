/* SPDX-License-Identifier: MIT */
/* A guest's calls from number and registers to answer: what is refused does nothing, what is answered is the caller's
 * own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <core/channel.h>
#include <core/cpu.h>
#include <errors.h>
#include <generated/api_calls.h>
#include <vm/vm.h>

struct cpu *host_this_cpu;
bool host_irq_on = true;
ticks_t host_now;
u64 time_hz = 2500000000;
const struct channel_ops *channel_ops;
const struct sys_header *system_table;

static struct sys_header header;
static struct sys_frame frames[2];
static struct sys_window windows[4];
static struct sys_domain conf;
static struct domain domain;
static struct vm vm;
static struct vcpu vcpu;
static struct thread self;
static u8 ram[2 * PAGE_SIZE];
static unsigned yields, prios, prio, rung;
static const char *written;
static size_t written_len;

const struct sys_frame *sys_frame(const struct sys_header *h, unsigned i) { return &frames[i]; }
const struct sys_window *sys_window(const struct sys_header *h, unsigned i) { return &windows[i]; }
ticks_t sched_window_began(void) { return 4242; }
struct thread *thread_self(void) { return &self; }
void thread_yield(void) { yields++; }
int thread_set_prio(struct thread *t, unsigned p)
{
    assert_ptr_equal(t, &self);
    prios++;
    prio = p;
    return 0;
}
void vm_console_write(struct vm *m, const char *text, size_t len)
{
    assert_ptr_equal(m, &vm);
    written = text;
    written_len = len;
}

/* Two tunnels. */
static s64 info(const struct domain *d, unsigned index, enum channel_field field)
{
    const s64 answer[CHANNEL_FIELDS] = { index, 4096, index, 1 + 2 * index, 9, 1, 0 };
    assert_ptr_equal(d, &domain);
    return index > 1 ? -ENOENT : answer[field];
}
static int notify(const struct domain *d, unsigned index)
{
    rung++;
    return index > 1 ? -ENOENT : 0;
}
/* The machine chooses. */
gpa_t machine_channel_at(unsigned n) { return 0xe0000000 + n * MIB; }
unsigned machine_channel_line(unsigned n) { return 24 + n; }

static const struct channel_ops tunnels = { .info = info, .notify = notify };

static int setup(void **state)
{
    yields = prios = rung = 0;
    written = NULL;
    memset(windows, 0, sizeof(windows));
    header.n_frames = 2;
    frames[0] = (struct sys_frame){ .core = 0, .n_windows = 1, .length_us = 500, .first_window = 0 };
    frames[1] = (struct sys_frame){ .core = 1, .n_windows = 3, .length_us = 10000, .first_window = 1 };
    windows[0] = (struct sys_window){ .domain = 5, .start_us = 0, .length_us = 500 };
    windows[1] = (struct sys_window){ .domain = 7, .start_us = 0, .length_us = 1000 };
    windows[2] = (struct sys_window){ .domain = 5, .start_us = 1000, .length_us = 200 };
    windows[3] = (struct sys_window){ .domain = 5, .start_us = 5000, .length_us = 300 };
    system_table = &header;
    conf.prio = 8;
    domain.id = 5;
    vm.domain = &domain;
    vm.conf = &conf;
    vm.n_vcpus = 3;
    vm.memory.n = 1;
    vm.memory.range[0] = (struct guest_range){ 0, ram, sizeof(ram) };
    vcpu = (struct vcpu){ .vm = &vm, .id = 2, .core = 1 };
    channel_ops = &tunnels;
    return 0;
}

static s64 call(u32 nr, u64 a, u64 b) { return vm_hypercall(&vcpu, nr, (u64[4]){ a, b, ~0ul, ~0ul }); }

static void test_unknown_numbers(void **state)
{
    for (u32 nr = API_CALLS; nr < 0x10000; nr++)
        assert_int_equal(call(nr, 0, 0), -ENOSYS);
    assert_int_equal(call(~0u, 0, 0), -ENOSYS);
    assert_int_equal(yields + prios + rung, 0);
    assert_null(written);
}

static void test_null_and_yield(void **state)
{
    assert_int_equal(call(API_NULL, ~0ul, ~0ul), 0);
    assert_int_equal(call(API_YIELD, ~0ul, ~0ul), 0);
    assert_int_equal(yields, 1);
    assert_true(vcpu.alive); /* a guest that yields does not hang */
}

static void test_priority_never_above_the_tables(void **state)
{
    assert_int_equal(call(API_SCHED_SET_PARAM, 8, 0), 0);
    assert_int_equal(prio, 8);
    assert_int_equal(call(API_SCHED_SET_PARAM, 1, 0), 0);
    assert_int_equal(call(API_SCHED_SET_PARAM, 9, 0), -EPERM);
    assert_int_equal(call(API_SCHED_SET_PARAM, 31, 0), -EPERM);
    assert_int_equal(call(API_SCHED_SET_PARAM, 0, 0), -EPERM); /* the idle thread's */
    assert_int_equal(call(API_SCHED_SET_PARAM, 32, 0), -ERANGE);
    assert_int_equal(call(API_SCHED_SET_PARAM, 0x100000001, 0), -ERANGE); /* not cut to 32 bits first */
    assert_int_equal(prios, 2);
}

static void test_console_text_lies_in_the_guests_memory(void **state)
{
    assert_int_equal(call(API_CONSOLE_WRITE, 16, 100), 100);
    assert_ptr_equal(written, ram + 16);
    assert_int_equal(written_len, 100);
    assert_int_equal(call(API_CONSOLE_WRITE, PAGE_SIZE, PAGE_SIZE), PAGE_SIZE);
    written = NULL;
    assert_int_equal(call(API_CONSOLE_WRITE, PAGE_SIZE + 1, PAGE_SIZE), -EFAULT);
    assert_int_equal(call(API_CONSOLE_WRITE, 2 * PAGE_SIZE + 1, 0), -EFAULT);
    assert_int_equal(call(API_CONSOLE_WRITE, ~0ul, 2), -EFAULT);
    assert_int_equal(call(API_CONSOLE_WRITE, (u64)(uintptr_t)ram, 1), -EFAULT);
    assert_int_equal(call(API_CONSOLE_WRITE, 0, 4097), -ERANGE);
    assert_int_equal(call(API_CONSOLE_WRITE, 0, 0x100000001), -ERANGE);
    assert_null(written);
}

static void test_tunnels(void **state)
{
    assert_int_equal(call(API_TUNNEL_INFO, 1, API_TUNNEL_INFO_GPA), 0xe0100000);
    assert_int_equal(call(API_TUNNEL_INFO, 1, API_TUNNEL_INFO_SIZE), 4096);
    assert_int_equal(call(API_TUNNEL_INFO, 1, API_TUNNEL_INFO_GSI), 25);
    assert_int_equal(call(API_TUNNEL_INFO, 1, API_TUNNEL_INFO_RIGHTS), 3);
    assert_int_equal(call(API_TUNNEL_INFO, 0, API_TUNNEL_INFO_RIGHTS), 1);
    assert_int_equal(call(API_TUNNEL_INFO, 0, API_TUNNEL_INFO_PEER), 9);
    assert_int_equal(call(API_TUNNEL_INFO, 0, API_TUNNEL_INFO_STATE), 1);
    assert_int_equal(call(API_TUNNEL_INFO, 0, API_TUNNEL_INFO_RUNNING + 1), -ERANGE);
    assert_int_equal(call(API_TUNNEL_INFO, 2, 0), -ENOENT);
    assert_int_equal(call(API_TUNNEL_INFO, 16, 0), -ERANGE);
    assert_int_equal(call(API_TUNNEL_NOTIFY, 1, 0), 0);
    assert_int_equal(call(API_TUNNEL_NOTIFY, 15, 0), -ENOENT);
    assert_int_equal(call(API_TUNNEL_NOTIFY, 16, 0), -ERANGE);
    assert_int_equal(rung, 2);
}

static void test_a_kernel_without_tunnels(void **state)
{
    channel_ops = NULL;
    assert_int_equal(call(API_TUNNEL_INFO, 0, 0), -ENOENT);
    assert_int_equal(call(API_TUNNEL_NOTIFY, 0, 0), -ENOENT);
    assert_int_equal(call(API_DOMAIN_INFO, API_DOMAIN_INFO_N_TUNNELS, 0), 0);
}

/* The caller's own windows on its own core: those of domain 7 and of core 0 do not count. */
static void test_windows(void **state)
{
    assert_int_equal(call(API_WINDOW_INFO, API_WINDOW_INFO_CORE, 0), 1);
    assert_int_equal(call(API_WINDOW_INFO, API_WINDOW_INFO_FRAME_US, 0), 10000);
    assert_int_equal(call(API_WINDOW_INFO, API_WINDOW_INFO_WINDOWS, 0), 2);
    assert_int_equal(call(API_WINDOW_INFO, API_WINDOW_INFO_WINDOW_US, 0), 500);
    assert_int_equal(call(API_WINDOW_INFO, API_WINDOW_INFO_FIRST_START_US, 0), 1000);
    assert_int_equal(call(API_WINDOW_INFO, API_WINDOW_INFO_BEGAN_TSC, 0), 4242);
    assert_int_equal(call(API_WINDOW_INFO, API_WINDOW_INFO_BEGAN_TSC + 1, 0), -ERANGE);
    vcpu.core = 3;
    assert_int_equal(call(API_WINDOW_INFO, API_WINDOW_INFO_FRAME_US, 0), 0);
    assert_int_equal(call(API_WINDOW_INFO, API_WINDOW_INFO_WINDOWS, 0), 0);
}

static void test_domain(void **state)
{
    assert_int_equal(call(API_DOMAIN_INFO, API_DOMAIN_INFO_API_VERSION, 0), API_VERSION);
    assert_int_equal(call(API_DOMAIN_INFO, API_DOMAIN_INFO_DOMAIN, 0), 5);
    assert_int_equal(call(API_DOMAIN_INFO, API_DOMAIN_INFO_VCPU, 0), 2);
    assert_int_equal(call(API_DOMAIN_INFO, API_DOMAIN_INFO_N_VCPUS, 0), 3);
    assert_int_equal(call(API_DOMAIN_INFO, API_DOMAIN_INFO_TSC_KHZ, 0), 2500000);
    assert_int_equal(call(API_DOMAIN_INFO, API_DOMAIN_INFO_N_TUNNELS, 0), 2);
    assert_int_equal(call(API_DOMAIN_INFO, API_DOMAIN_INFO_N_TUNNELS + 1, 0), -ERANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_unknown_numbers, setup),
        cmocka_unit_test_setup(test_null_and_yield, setup),
        cmocka_unit_test_setup(test_priority_never_above_the_tables, setup),
        cmocka_unit_test_setup(test_console_text_lies_in_the_guests_memory, setup),
        cmocka_unit_test_setup(test_tunnels, setup),
        cmocka_unit_test_setup(test_a_kernel_without_tunnels, setup),
        cmocka_unit_test_setup(test_windows, setup),
        cmocka_unit_test_setup(test_domain, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
