/* SPDX-License-Identifier: MIT */
/* Whose DR0-3 a core of AMD-V has (amdv/debug.c), while another core resets or destroys the guest that loses them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "arch/x86/amdv/debug.c"

static struct cpu core;
struct cpu *host_this_cpu = &core, *cpus[MAX_CPUS] = { &core };
u64 host_cr4, host_dr[4], host_dr6;
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub);
void (*host_reading_dr)(void);
const bool amdv_checked;
u32 amdv_clean_all = CLEAN_ALL;

static struct vmcb vmcb[2];
static struct hal_vcpu guest[2];
static unsigned flushed;
static void (*owed)(void);
void vcpu_flush(struct hal_vcpu *v) { flushed++; }

static void resets(void)
{
    amdv_reset_debug(&guest[0]);
    vmcb[0].clean = 0;
}

static void destroys(void)
{
    amdv_forget_debug(&guest[0]);
    guest[0].vmcb = NULL;
}

/* It does so at once, if no lock keeps it from that. */
static void elsewhere(void)
{
    if (!spin_is_taken(&lock)) {
        owed();
        owed = NULL;
    }
}

static int setup(void **state)
{
    memset(guest, 0, sizeof(guest));
    memset(debug_owner, 0, sizeof(debug_owner));
    host_irq_on = false;
    for (unsigned i = 0; i < 2; i++) {
        guest[i].vmcb = &vmcb[i];
        amdv_reset_debug(&guest[i]);
    }
    host_reading_dr = NULL;
    amdv_take_debug(&guest[0]);
    for (unsigned i = 0; i < 4; i++)
        host_dr[i] = 0x1000 + i;
    vmcb[0].clean = vmcb[1].clean = CLEAN_ALL;
    flushed = 0;
    return 0;
}

/* Guest 1 takes the registers while another core does `what` with guest 0. */
static void taken_while(void (*what)(void))
{
    owed = what;
    host_reading_dr = elsewhere;
    amdv_take_debug(&guest[1]);
    host_reading_dr = NULL;
    if (owed)
        owed();
}

static void each_guest_has_its_own(void **state)
{
    amdv_take_debug(&guest[1]);
    assert_int_equal(host_dr[0] | host_dr[3], 0);
    assert_true(vmcb[0].intercept_dr && !vmcb[1].intercept_dr && flushed == 1);
    assert_int_equal(vmcb[0].clean & CLEAN_INTERCEPTS, 0);
    amdv_take_debug(&guest[0]);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(host_dr[i], 0x1000 + i);
    assert_true(!vmcb[0].intercept_dr && vmcb[1].intercept_dr);
}

static void a_reset_by_another_core_is_not_undone_by_who_takes_the_registers(void **state)
{
    taken_while(resets);
    assert_int_equal(guest[0].dr[0] | guest[0].dr[3], 0);
    assert_int_equal(vmcb[0].intercept_dr, ~0u);
    assert_int_equal(vmcb[0].clean, 0);
}

/* Of what is destroyed the record's page is another's next. */
static void who_takes_the_registers_has_no_guest_in_hand_that_was_destroyed(void **state)
{
    taken_while(destroys);
    amdv_take_debug(&guest[1]);
    assert_null(guest[0].vmcb);
    assert_ptr_equal(debug_owner[0], &guest[1]);
}

static void a_guest_that_is_destroyed_owns_no_registers(void **state)
{
    destroys();
    amdv_take_debug(&guest[1]);
    assert_int_equal(flushed, 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(each_guest_has_its_own),
        T(a_reset_by_another_core_is_not_undone_by_who_takes_the_registers),
        T(who_takes_the_registers_has_no_guest_in_hand_that_was_destroyed),
        T(a_guest_that_is_destroyed_owns_no_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
