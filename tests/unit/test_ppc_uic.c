/* SPDX-License-Identifier: MIT */
/* The virtual interrupt controller: PPC405EP UM chapter 10. */
#include "fake_guest.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define BIT(n) (0x80000000u >> (n))

static void a_level_is_there_until_the_device_is_served(void **state)
{
    vuic_write(guest, UIC_ER, BIT(0) | BIT(31));
    vuic_lines(guest, UIC_INPUT(0), true);
    assert_int_equal(guest->pending, VMP_EXTERNAL);
    assert_int_equal(regs.attention, VMP_EXTERNAL);
    vuic_write(guest, UIC_SR, BIT(0)); /* in vain */
    assert_int_equal(vuic_read(guest, UIC_MSR), BIT(0));
    vuic_lines(guest, UIC_INPUT(0), false);
    assert_int_equal(guest->pending, 0);
    assert_int_equal(regs.attention, 0);
    assert_int_equal(vuic_read(guest, UIC_SR), 0);
}

static void an_edge_is_there_until_it_is_acknowledged(void **state)
{
    vuic_write(guest, UIC_TR, BIT(7));
    vuic_write(guest, UIC_ER, BIT(7));
    vuic_lines(guest, UIC_INPUT(7), true);
    vuic_lines(guest, UIC_INPUT(7), false);
    assert_int_equal(guest->pending, VMP_EXTERNAL);
    vuic_lines(guest, UIC_INPUT(7), true);
    vuic_write(guest, UIC_SR, BIT(7));
    assert_int_equal(guest->pending, 0);
    vuic_lines(guest, UIC_INPUT(7), true); /* no edge */
    assert_int_equal(guest->pending, 0);
    vuic_lines(guest, UIC_INPUT(7), false);
    vuic_lines(guest, UIC_INPUT(7), true);
    assert_int_equal(guest->pending, VMP_EXTERNAL);
}

static void a_masked_input_is_seen_in_sr_only(void **state)
{
    vuic_lines(guest, UIC_INPUT(3), true);
    assert_int_equal(vuic_read(guest, UIC_SR), BIT(3));
    assert_int_equal(vuic_read(guest, UIC_MSR), 0);
    assert_int_equal(guest->pending, 0);
    vuic_write(guest, UIC_ER, BIT(3));
    assert_int_equal(guest->pending, VMP_EXTERNAL);
}

static void critical_inputs_have_a_vector(void **state)
{
    vuic_write(guest, UIC_ER, ~0u);
    vuic_write(guest, UIC_CR, BIT(4) | BIT(9));
    vuic_write(guest, UIC_VCR, 0x00200001); /* PRO: input 0 is most urgent */
    vuic_lines(guest, UIC_INPUT(1), true);
    assert_int_equal(guest->pending, VMP_EXTERNAL);
    assert_int_equal(vuic_read(guest, UIC_VR), 0);
    vuic_lines(guest, UIC_INPUT(9), true);
    vuic_lines(guest, UIC_INPUT(4), true);
    assert_int_equal(guest->pending, VMP_EXTERNAL | VMP_CRITICAL);
    assert_int_equal(vuic_read(guest, UIC_VR), 0x00200000 + 4 * 512);
    vuic_write(guest, UIC_VCR, 0x00200000); /* input 31 is */
    assert_int_equal(vuic_read(guest, UIC_VR), 0x00200000 + 22 * 512);
    vuic_lines(guest, UIC_INPUT(1), false);
    assert_int_equal(guest->pending, VMP_CRITICAL);
}

static void registers_that_are_results_cannot_be_written(void **state)
{
    for (u32 n = 0; n <= UIC_VCR; n++)
        vuic_write(guest, n, 0x12345678);
    assert_int_equal(vuic_read(guest, UIC_SR), 0x12345678); /* SR was set through SRS */
    assert_int_equal(vuic_read(guest, UIC_MSR), 0x12345678);
    vuic_write(guest, UIC_SR, ~0u);
    assert_int_equal(vuic_read(guest, UIC_MSR), 0);
    vuic_write(guest, UIC_MSR, ~0u);
    vuic_write(guest, UIC_VR, ~0u);
    assert_int_equal(vuic_read(guest, UIC_MSR), 0);
    assert_int_equal(vuic_read(guest, UIC_VR), 0);
}

static void other_things_pending_stay(void **state)
{
    guest->pending = VMP_PIT;
    vuic_write(guest, UIC_ER, BIT(0));
    vuic_lines(guest, UIC_INPUT(0), true);
    assert_int_equal(guest->pending, VMP_PIT | VMP_EXTERNAL);
    vuic_lines(guest, UIC_INPUT(0), false);
    assert_int_equal(guest->pending, VMP_PIT);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, fake_guest_setup)
    const struct CMUnitTest tests[] = {
        T(a_level_is_there_until_the_device_is_served),
        T(an_edge_is_there_until_it_is_acknowledged),
        T(a_masked_input_is_seen_in_sr_only),
        T(critical_inputs_have_a_vector),
        T(registers_that_are_results_cannot_be_written),
        T(other_things_pending_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
