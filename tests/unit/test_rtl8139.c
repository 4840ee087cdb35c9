/* SPDX-License-Identifier: MIT */
/* What drivers of an RTL8139 may do, against a card that would reach whatever memory it is told (fake_card.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errors.h>

#include "fake_card.h"

enum { TSD0 = 0x10, TSAD0 = 0x20, RBSTART = 0x30, CR = 0x37, TCR = 0x40, RCR = 0x44 };
#define MODE 0x0000f80eu
#define RING (64 * KIB + 16)

static const struct hal_device hal;
static struct device_state state;

/* As a driver's write comes here. */
static int put(u32 at, u32 width, u32 value)
{
    if (device_rtl8139.access[at] >> DEVICE_WRITES != width)
        return -EACCES;
    int err = device_rtl8139.write(&hal, &state, at, width, value);
    if (card_strays())
        fail_msg("%s", card_strays());
    return err;
}

static int setup(void **unused)
{
    memset(&card, 0, sizeof(card));
    memset(card.registers + 0x30, 0xee, 4); /* what a driver before left there */
    state = (struct device_state){ .memory = CARD_OWN };
    device_rtl8139.reset(&hal, &state);
    assert_true(device_rtl8139.is_reset(&hal));
    return 0;
}

static void begin(void)
{
    assert_int_equal(put(RCR, 4, MODE), 0);
    assert_int_equal(put(CR, 1, 0x0c), 0);
}

static void offsets_become_addresses_of_the_pinned_memory(void **unused)
{
    begin();
    assert_int_equal(put(RBSTART, 4, 0x1000), 0);
    assert_int_equal(card_at(RBSTART), CARD_MEMORY + 0x1000);
    for (u32 i = 0; i < 4; i++) {
        assert_int_equal(put(TSAD0 + 4 * i, 4, 0x11000 + 0x800 * i), 0);
        assert_int_equal(card_at(TSAD0 + 4 * i), CARD_MEMORY + 0x11000 + 0x800 * i);
        assert_int_equal(put(TSD0 + 4 * i, 4, 1514), 0);
        assert_int_equal(card_at(TSD0 + 4 * i), 1514);
    }
    assert_int_equal(card_at(RCR), MODE);
}

static void a_ring_that_does_not_fit_is_refused(void **unused)
{
    u32 last = (device_rtl8139.memory - RING) & ~3u;
    begin();
    assert_int_equal(put(RBSTART, 4, last), 0);
    assert_int_equal(put(RBSTART, 4, last + 4), -EINVAL);
    assert_int_equal(put(RBSTART, 4, device_rtl8139.memory), -EINVAL);
    assert_int_equal(put(RBSTART, 4, 0u - CARD_MEMORY), -EINVAL); /* address 0, if it were added */
    assert_int_equal(put(RBSTART, 4, ~3u), -EINVAL);
    assert_int_equal(put(RBSTART, 4, 2), -EINVAL);
    assert_int_equal(card_at(RBSTART), CARD_MEMORY + last);
}

static void no_ring_but_the_longest_is_permitted(void **unused)
{
    begin();
    for (u32 length = 0; length < 3; length++)
        assert_int_equal(put(RCR, 4, (MODE & ~0x1800u) | length << 11), -EINVAL);
    assert_int_equal(put(RCR, 4, MODE | 0x80), -EINVAL); /* WRAP */
    for (u32 bit = 0; bit < 32; bit++)
        if (!(0x0f00ff3fu >> bit & 1))
            assert_int_equal(put(RCR, 4, MODE | 1u << bit), -EINVAL);
    assert_int_equal(card_at(RCR), MODE);
}

static void a_frame_that_does_not_fit_is_refused(void **unused)
{
    u32 last = device_rtl8139.memory - 1792;
    begin();
    assert_int_equal(put(TSAD0, 4, last), 0);
    assert_int_equal(put(TSAD0, 4, last + 4), -EINVAL);
    assert_int_equal(put(TSAD0, 4, 0u - CARD_MEMORY), -EINVAL);
    assert_int_equal(put(TSAD0, 4, 1), -EINVAL);
    assert_int_equal(put(TSD0, 4, 1792), 0);
    assert_int_equal(put(TSD0, 4, 1793), -EINVAL);
    assert_int_equal(put(TSD0, 4, 0x1fff), -EINVAL);
    assert_int_equal(put(TSD0, 4, 0x2000 | 60), -EINVAL);
    assert_int_equal(put(TCR, 4, 1), -EINVAL); /* CLRABT: it sends again */
}

static void no_other_register_is_written_and_none_that_has_an_address_read(void **unused)
{
    static const struct {
        u32 at, width;
    } written[] = { { 0x08, 4 }, { 0x0c, 4 }, { 0x10, 4 }, { 0x14, 4 }, { 0x18, 4 }, { 0x1c, 4 }, { 0x20, 4 },
                    { 0x24, 4 }, { 0x28, 4 }, { 0x2c, 4 }, { 0x30, 4 }, { 0x37, 1 }, { 0x38, 2 }, { 0x3c, 2 },
                    { 0x3e, 2 }, { 0x40, 4 }, { 0x44, 4 }, { 0x48, 4 }, { 0x4c, 4 }, { 0x54, 4 } };
    for (u32 at = 0; at < 256; at++) {
        u8 may = 0;
        for (unsigned i = 0; i < ARRAY_SIZE(written); i++)
            if (written[i].at == at)
                may = (u8)written[i].width;
        assert_int_equal(device_rtl8139.access[at] >> DEVICE_WRITES, may);
        if (at >= TSAD0 && at < RBSTART + 4)
            assert_int_equal(device_rtl8139.access[at] & 7, 0);
    }
    assert_int_equal(device_rtl8139.access[0xe0], 0); /* CpCmd; and where C+ mode has its ring */
    assert_int_equal(device_rtl8139.access[0xe4], 0);
    assert_int_equal(device_rtl8139.access[0xd9], 0);
    assert_int_equal(device_rtl8139.access[0x50], 0); /* 9346CR */
}

static void after_a_reset_the_card_is_told_everything_again(void **unused)
{
    begin();
    assert_int_equal(put(TSAD0, 4, 0x11000), 0);
    assert_int_equal(put(CR, 1, 0x10), 0);
    assert_int_equal(put(CR, 1, 0x0c), 0);
    assert_int_equal(card_at(RBSTART), CARD_MEMORY);
    assert_int_equal(card_at(TSAD0), CARD_MEMORY);
    assert_int_equal(card_at(RCR), 0x1800); /* and receives nothing before it is told so */
    assert_int_equal(put(TSD0, 4, 1500), 0);
    assert_int_equal(put(CR, 1, 0x1c), -EINVAL);
}

static void while_the_card_is_reset_it_is_not_enabled(void **unused)
{
    begin();
    card.reset_takes = 3;
    assert_int_equal(put(CR, 1, 0x10), 0);
    assert_int_equal(put(CR, 1, 0x0c), -EBUSY);
    assert_int_equal(put(RBSTART, 4, 0x1000), 0); /* which the card forgets */
    assert_int_equal(put(RCR, 4, MODE), 0);
    assert_int_equal(put(CR, 1, 0x0c), -EBUSY);
    assert_int_equal(put(CR, 1, 0x0c), 0);
    assert_int_equal(card_at(RBSTART), CARD_MEMORY + 0x1000);
    assert_int_equal(card_at(RCR), MODE);
}

static void a_card_that_takes_its_mode_while_it_receives_gets_it_then(void **unused)
{
    card.takes_mode_enabled = true;
    begin();
    assert_int_equal(card_at(RCR), MODE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(offsets_become_addresses_of_the_pinned_memory, setup),
        cmocka_unit_test_setup(a_ring_that_does_not_fit_is_refused, setup),
        cmocka_unit_test_setup(no_ring_but_the_longest_is_permitted, setup),
        cmocka_unit_test_setup(a_frame_that_does_not_fit_is_refused, setup),
        cmocka_unit_test_setup(no_other_register_is_written_and_none_that_has_an_address_read, setup),
        cmocka_unit_test_setup(after_a_reset_the_card_is_told_everything_again, setup),
        cmocka_unit_test_setup(while_the_card_is_reset_it_is_not_enabled, setup),
        cmocka_unit_test_setup(a_card_that_takes_its_mode_while_it_receives_gets_it_then, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
