/* SPDX-License-Identifier: MIT */
/*
 * Devices that processes drive: who gets which, what is refused and why; when a device reaches memory and when its line
 * is open; interrupts and who waits for them. The devices are a list, their class is one register that is written.
 */
#include "threads.h"

#include <generated/device_calls.h>
#include <hal/upcalls.h>
#include <sys/mman.h>

/* Pinned memory, at addresses that the fake machine has, below 4 GiB. */
static paddr_t pinned;
static paddr_t low_memory(unsigned long long count, unsigned long long align) { return pinned; }
#define frames_alloc_clean low_memory
#include "device/grant.c"
#include "records.h"

#define LINE_FREE 20

const struct sys_header *system_table;
struct domain domains[SYS_MAX_DOMAINS];
static struct sys_header header;
static struct sys_domain conf[3];
static struct process process[3];
static struct process_thread threads[3];
static struct hal_device board[HAL_DEVICES];
static unsigned n_board;
static char events[256]; /* what happened to devices, in order */
static bool resets;
static s64 result[3];

static const char strings[] = "\0card-0\0card-1\0card-2\0no name\0";
enum { CARD_0 = 1, CARD_1 = 8, CARD_2 = 15, NO_NAME = 22 };

static void event(const char *what, unsigned n)
{
    size_t at = strlen(events);
    ksnprintf(events + at, sizeof(events) - at, "%s%u ", what, n);
}

static unsigned number_of(const struct hal_device *d) { return (unsigned)(d->name[5] - '0'); }

/* The board */
unsigned hal_devices(const struct hal_device **list)
{
    *list = board;
    return n_board;
}
void hal_device_master(const struct hal_device *d, bool on) { event(on ? "master" : "no-master", number_of(d)); }
int hal_line_connect(unsigned line, unsigned n, unsigned cpu)
{
    event("connect", n);
    return line == LINE_FREE + 9 ? -ENODEV : 0;
}
void hal_line_mask(unsigned n, bool masked) { event(masked ? "mask" : "unmask", n); }
static u32 register_value;
u32 hal_device_read(const struct hal_device *d, u32 at, u32 width)
{
    if (at == 0x37 && !resets)
        host_spend(MIB); /* so that the wait for it ends */
    if (at == 0x37)
        return resets ? 0 : 0x10;
    return register_value;
}
void hal_device_write(const struct hal_device *d, u32 at, u32 width, u32 value)
{
    if (at == 0x37 && value == 0x10)
        event("reset", number_of(d));
    register_value = value;
}

/* The system */
const struct sys_domain *sys_domain(const struct sys_header *h, unsigned i) { return &conf[i]; }
const char *sys_string(const struct sys_header *h, u32 off) { return strings + off; }
bool sys_name_ok(const struct sys_header *h, u32 string)
{
    return string < sizeof(strings) && strings[string] && strcmp(strings + string, "no name") != 0;
}
int space_map(struct space *s, u64 va, paddr_t pa, u64 size, unsigned rights)
{
    assert_true(va >= PROCESS_PARTS && va + size <= PROCESS_TUNNELS && rights == SPACE_WRITE);
    event("map", (unsigned)((va - PROCESS_PARTS) / MIB));
    return 0;
}
void user_refresh(struct user *u) {}

static int begin_test(void **state)
{
    setup(state);
    memset(granted, 0, sizeof(granted));
    memset(device_handles, 0, sizeof(device_handles));
    memset(devices, 0, sizeof(devices));
    memset(conf, 0, sizeof(conf));
    memset(process, 0, sizeof(process));
    memset(threads, 0, sizeof(threads));
    n_devices = 0;
    resets = true;
    if (!pinned)
        pinned = (uintptr_t)mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    assert_true(pinned + MIB < 4 * GIB);
    system_table = &header;
    for (unsigned i = 0; i < 3; i++) {
        conf[i].kind = SYS_KIND_PROCESS;
        domains[i] = (struct domain){ .id = i, .conf = &conf[i] };
        process[i].domain = &domains[i];
        list_init(&process[i].waiters);
        threads[i].process = &process[i];
    }
    for (n_board = 0; n_board < 3; n_board++) {
        board[n_board] = (struct hal_device){ .line = (u8)(LINE_FREE + n_board), .kind = &device_rtl8139.kind };
        ksnprintf(board[n_board].name, sizeof(board[0].name), "card-%u", n_board);
    }
    events[0] = '\0';
    return 0;
}

static const char *checked(unsigned i) { return check(&header, &conf[i]); }

/* Returns why process `i` cannot have its devices; NULL: it has them. */
static const char *refused(unsigned i)
{
    domains[i].reason[0] = '\0';
    return process_parts(&process[i], PROCESS_MAPS) ? domains[i].reason : NULL;
}

/* Process `i` gets its devices, and its first run begins. */
static void run(unsigned i)
{
    assert_null(refused(i));
    process_parts(&process[i], PROCESS_BEGINS);
    events[0] = '\0';
}

/* Fast calls of process `i`. */
static s64 get(unsigned i, u32 handle, u32 at, u32 width)
{
    irq_disable();
    s64 value = device_call_device_read(&threads[i].user, handle, at, width);
    irq_enable();
    return value;
}
static s64 put(unsigned i, u32 handle, u32 at, u32 width, u32 value)
{
    irq_disable();
    s64 err = device_call_device_write(&threads[i].user, handle, at, width, value);
    irq_enable();
    return err;
}

static void a_device_has_one_driver_and_a_name(void **state)
{
    process_record(&conf[0])->device[0] = CARD_0;
    process_record(&conf[0])->device[3] = CARD_1;
    process_record(&conf[1])->device[0] = CARD_2;
    for (unsigned i = 0; i < 3; i++)
        assert_null(checked(i));
    process_record(&conf[2])->device[1] = CARD_1;
    assert_null(checked(0));
    assert_string_equal(checked(2), "a device is given to two processes, or twice");
    process_record(&conf[2])->device[1] = 0;
    process_record(&conf[1])->device[2] = CARD_2;
    assert_string_equal(checked(1), "a device is given to two processes, or twice");
    process_record(&conf[1])->device[2] = NO_NAME;
    assert_string_equal(checked(1), "the name of a process's device is none");
    process_record(&conf[1])->device[2] = 0x7fffffff;
    assert_string_equal(checked(1), "the name of a process's device is none");
}

static void what_is_no_process_has_no_devices_in_its_record(void **state)
{
    conf[0].kind = SYS_KIND_VM; /* the same bytes mean something else there */
    process_record(&conf[0])->device[0] = CARD_0;
    process_record(&conf[1])->device[0] = CARD_0;
    assert_null(checked(1));
}

static void a_grant_that_cannot_be_says_why(void **state)
{
    process_record(&conf[0])->device[0] = CARD_0;
    process_record(&conf[1])->device[0] = CARD_1;
    process_record(&conf[2])->device[0] = CARD_2;
    assert_null(refused(0));
    board[1].line = LINE_FREE;
    assert_string_equal(refused(1), "device card-1 has the interrupt line of card-0");
    board[1].line = HAL_NO_LINE;
    assert_string_equal(refused(1), "which interrupt line device card-1 has is not known");
    board[1].line = LINE_FREE + 9;
    assert_string_equal(refused(1), "no interrupt controller has the line of device card-1");
    paddr_t here = pinned;
    pinned = 4 * GIB - PAGE_SIZE;
    assert_string_equal(refused(2), "there is no memory below 4 GiB for device card-2");
    pinned = here;
    n_board = 1;
    assert_string_equal(refused(2), "the board has no device card-2");
    assert_null(granted[1][0]);
    assert_null(granted[2][0]);
}

static void a_device_is_quiet_until_its_driver_runs_and_after_it_has_ended(void **state)
{
    process_record(&conf[0])->device[1] = CARD_1;
    assert_null(refused(0));
    assert_string_equal(events, "map1 connect0 ");
    events[0] = '\0';
    u8 *left = phys_to_virt(devices[0].state.memory);
    left[5] = 7; /* by the run before */
    process_parts(&process[0], PROCESS_BEGINS);
    assert_string_equal(events, "mask0 no-master1 reset1 master1 unmask0 ");
    assert_int_equal(left[5], 0);
    events[0] = '\0';
    process_parts(&process[0], PROCESS_ENDS);
    assert_string_equal(events, "mask0 no-master1 reset1 ");
}

static void a_device_that_does_not_reset_is_used_no_more(void **state)
{
    process_record(&conf[0])->device[0] = CARD_0;
    assert_null(refused(0));
    resets = false;
    events[0] = '\0';
    process_parts(&process[0], PROCESS_BEGINS);
    assert_string_equal(events, "mask0 no-master0 reset0 ");
    assert_int_equal(get(0, 0, 0, 1), -EBADF);
    assert_int_equal(put(0, 0, 0x3c, 2, 0), -EBADF);
}

static void a_register_is_reached_by_its_owner_as_the_class_permits(void **state)
{
    process_record(&conf[0])->device[1] = CARD_0;
    run(0);
    run(1);
    register_value = 0x55;
    assert_int_equal(get(0, 0, 0x3e, 2), 0x55);
    for (u32 width = 0; width < 5; width++)
        if (width != 2)
            assert_int_equal(get(0, 0, 0x3e, width), -EACCES);
    assert_int_equal(get(0, 1, 0x3e, 2), -EBADF);
    assert_int_equal(get(1, 0, 0x3e, 2), -EBADF);
    assert_int_equal(put(0, 0, 0x3c, 2, 0x7f), 0);
    assert_int_equal(register_value, 0x7f);
    assert_int_equal(put(0, 0, 0x3c, 4, 0), -EACCES);
    assert_int_equal(put(0, 0, 0xe0, 2, 0), -EACCES);
    assert_int_equal(put(0, 0, 0x30, 4, ~3u), -EINVAL);
    assert_int_equal(put(1, 0, 0x3c, 2, 0), -EBADF);
    assert_int_equal(devices[0].lock.next, devices[0].lock.owner);
}

static void a_handle_of_the_run_before_reaches_no_device(void **state)
{
    process_record(&conf[0])->device[0] = CARD_0;
    run(0);
    u32 generation = devices[0].handle.generation;
    process_parts(&process[0], PROCESS_ENDS);
    assert_int_not_equal(devices[0].handle.generation, generation);
    assert_int_equal(get(0, 0, 0x3e, 2), -EBADF);
    assert_int_equal(device_call_irq_wait(&threads[0], 0, 0), -EBADF);
    process_parts(&process[0], PROCESS_BEGINS);
    assert_int_equal(put(0, 0, 0x3c, 2, 0x7f), 0);
    devices[0].handle.ops->closed(&devices[0].handle, &threads[0], 0, 0); /* by its driver: until the next run */
    assert_int_equal(put(0, 0, 0x3c, 2, 0x7f), -EBADF);
    assert_int_equal(device_call_irq_done(&threads[0], 0), -EBADF);
    process_parts(&process[0], PROCESS_ENDS);
    process_parts(&process[0], PROCESS_BEGINS);
    assert_int_equal(put(0, 0, 0x3c, 2, 0x7f), 0);
}

static void wait(void *arg)
{
    struct process_thread *t = arg;
    t->thread = thread_self();
    result[t - threads] = device_call_irq_wait(t, 0, ~0ull);
    say('w');
}

static void interrupt(unsigned n)
{
    irq_disable();
    device_interrupt(n);
    irq_enable();
}

static void an_interrupt_wakes_its_driver_and_the_next_one_waits_for_irq_done(void **state)
{
    process_record(&conf[0])->device[0] = CARD_0;
    process_record(&conf[1])->device[0] = CARD_1;
    run(0);
    run(1);
    for (unsigned i = 0; i < 2; i++)
        spawn("w", 0, 10, wait, &threads[i]);
    host_settle();
    assert_string_equal(order, "");
    interrupt(1);
    host_settle();
    assert_string_equal(order, "w");
    assert_int_equal(result[1], 0);
    assert_int_equal(device_call_irq_wait(&threads[1], 0, 0), -EBUSY);
    events[0] = '\0';
    assert_int_equal(device_call_irq_done(&threads[1], 0), 0);
    assert_string_equal(events, "unmask1 ");
    assert_int_equal(device_call_irq_done(&threads[1], 0), 0); /* nothing to be done: the line stays as it is */
    assert_string_equal(events, "unmask1 ");
    interrupt(0);
    host_settle();
    assert_string_equal(order, "ww");
}

static void an_interrupt_that_nobody_waits_for_is_kept_until_the_run_ends(void **state)
{
    process_record(&conf[0])->device[0] = CARD_0;
    run(0);
    interrupt(0);
    assert_int_equal(device_call_irq_wait(&threads[0], 0, 0), 0);
    assert_int_equal(device_call_irq_done(&threads[0], 0), 0);
    interrupt(0);
    process_parts(&process[0], PROCESS_ENDS);
    process_parts(&process[0], PROCESS_BEGINS);
    assert_false(devices[0].rung);
    assert_false(devices[0].masked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_device_has_one_driver_and_a_name, begin_test),
        cmocka_unit_test_setup(what_is_no_process_has_no_devices_in_its_record, begin_test),
        cmocka_unit_test_setup(a_grant_that_cannot_be_says_why, begin_test),
        cmocka_unit_test_setup(a_device_is_quiet_until_its_driver_runs_and_after_it_has_ended, begin_test),
        cmocka_unit_test_setup(a_device_that_does_not_reset_is_used_no_more, begin_test),
        cmocka_unit_test_setup(a_register_is_reached_by_its_owner_as_the_class_permits, begin_test),
        cmocka_unit_test_setup(a_handle_of_the_run_before_reaches_no_device, begin_test),
        cmocka_unit_test_setup(an_interrupt_wakes_its_driver_and_the_next_one_waits_for_irq_done, begin_test),
        cmocka_unit_test_setup(an_interrupt_that_nobody_waits_for_is_kept_until_the_run_ends, begin_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
