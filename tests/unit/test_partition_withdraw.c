/* SPDX-License-Identifier: MIT */
/* Monitors withdraw tunnels, each on its core and several at once: no withdrawal and no grant is lost. */
#include "partition_test.h"
#include <arch/mmu.h>
#include <errors.h>
#include <generated/api_calls.h>
#include <signal.h>

static u32 inputs;
void vuic_lines(struct vm *vm, u32 lines, bool level) { inputs |= lines; }
void mmu_switch(struct vm *vm) {}
bool mmu_add_area(struct vm *vm, u32 gpa, u32 size, u32 pa, u32 rights)
{
    u32 index = (gpa - PT_TUNNEL_GPA) / PT_TUNNEL_STEP;
    vm->areas[1 + index] = (struct vm_area){ .gpa = gpa, .size = size };
    return true;
}

static struct vm *user, *monitors[2];

static s32 open_tunnel(u32 index) { return api_create_comm_tunnel(user, index, 0, 0); }
static s32 take(u32 monitor, u32 index) { return api_tunnel_withdraw(monitors[monitor], index, 1, 0); }
static s32 grant(u32 monitor, u32 index) { return api_tunnel_withdraw(monitors[monitor], index, 0, 0); }

static int setup_tunnels(void **state)
{
    setup(state);
    table->h.n_tunnels = 2;
    table->vms[1].flags |= PT_HEALTH_MONITOR;
    table->vms[3].flags |= PT_HEALTH_MONITOR;
    seal();
    boot(true);
    user = vm_of(0);
    monitors[0] = vm_of(1);
    monitors[1] = vm_of(3);
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal(grant(0, i), 0);
        assert_true(open_tunnel(i) < 0); /* its address has bit 31 */
    }
    assert_int_equal(user->part.tunnels, 3);
    inputs = 0;
    return 0;
}

static void a_withdrawn_tunnel_is_unmapped_and_silent_and_comes_back_by_a_grant(void **state)
{
    assert_int_equal(api_tunnel_withdraw(user, 0, 1, 0), -EPERM);
    assert_int_equal(take(0, 2), -ENOENT);
    assert_int_equal(api_tunnel_notify(vm_of(4), 0, 0, 0), -EACCES); /* it has not opened it */
    assert_true(api_create_comm_tunnel(vm_of(4), 0, 0, 0) < 0);
    assert_int_equal(api_tunnel_notify(vm_of(4), 0, 0, 0), 0);
    assert_int_equal(take(0, 0), 0);
    guest_tunnel_requests(user);
    assert_int_equal(user->part.tunnels, 2);
    assert_int_equal(user->areas[1].size, 0);
    assert_int_equal(user->areas[2].size, 0x1000);
    assert_int_equal(inputs, 0);
    assert_int_equal(open_tunnel(0), -EACCES);
    assert_int_equal(grant(1, 0), 0);
    assert_int_not_equal(open_tunnel(0), -EACCES);
    guest_tunnel_requests(user);
    assert_int_equal(inputs, 1);
}

/* The processor steps through one monitor's call; before instruction number `at` another core's monitor has its own. */
static u32 at, steps, other;
static s32 (*others_call)(u32 monitor, u32 index);
static void step(int number)
{
    if (++steps == at)
        assert_int_equal(others_call(1, other), 0);
}
static __noinline void set_trap_flag(bool on)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; andl $~0x100, (%%rsp); orl %0, (%%rsp); popfq; "
                     "lea 128(%%rsp), %%rsp" ::"r"(on ? 0x100 : 0)
                     : "memory", "cc");
}

static u32 withdrawn(void) { return (open_tunnel(0) == -EACCES) | (u32)(open_tunnel(1) == -EACCES) << 1; }

/* Both calls, with all orders of their instructions that begin with the first one's. */
static void both(s32 (*first)(u32, u32), s32 (*second)(u32, u32), u32 before, u32 after)
{
    others_call = second;
    other = 1;
    for (at = 1; at == 1 || steps >= at - 1; at++) {
        assert_int_equal(before & 1 ? take(0, 0) : grant(0, 0), 0);
        assert_int_equal(before & 2 ? take(0, 1) : grant(0, 1), 0);
        assert_int_equal(withdrawn(), before);
        steps = 0;
        set_trap_flag(true);
        s32 result = first(0, 0);
        set_trap_flag(false);
        assert_int_equal(result, 0);
        if (steps >= at)
            assert_int_equal(withdrawn(), after);
    }
    assert_true(at > 20);
}

static void two_monitors_at_once_lose_no_withdrawal_and_no_grant(void **state)
{
    signal(SIGTRAP, step);
    both(take, take, 0, 3);
    both(take, grant, 2, 1);
    both(grant, take, 1, 2);
    both(grant, grant, 3, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_withdrawn_tunnel_is_unmapped_and_silent_and_comes_back_by_a_grant, setup_tunnels),
        cmocka_unit_test_setup(two_monitors_at_once_lose_no_withdrawal_and_no_grant, setup_tunnels),
    };
    leave(cmocka_run_group_tests(tests, map_memory, NULL));
}
