/* SPDX-License-Identifier: MIT */
/* Virtio net and the switch: who gets a frame, who does not, and that a bad neighbour harms only itself. */
#include <net/net.h>
#include <stdio.h>
#include "virtio_test.h"

static char said[128];
void printk(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof(said), format, args);
    va_end(args);
}

static struct drv d[3];
enum { RX, TX };
#define FRAME  0x2000
#define BUFFER 0x4000
static unsigned net;

static int setup(void **state)
{
    for (unsigned i = 0; i < FAKE_VMS; i++)
        net_switch_leave(&fake_vms[i]);
    net = 0;
    fake_init();
    for (int i = 0; i < 3; i++) {
        struct sys_device conf = { .type = SYS_DEV_NET, .slot = 1, .net = net, .mac = { 2, 0, 0, 0, 0, i + 1 } };
        d[i] = plugged(&fake_vms[i], &conf);
        drv_start(&d[i], 2);
        drv_desc(&d[i], RX, 0, BUFFER, 1526, DRV_WRITE, 0);
        drv_offer(&d[i], RX, 0);
        drv_kick(&d[i], RX);
    }
    net++;
    return 0;
}

/* From VM `from` to the address that ends in `to` (0xff: broadcast), `len` bytes of frame. */
static void send(int from, u8 to, u32 len)
{
    u8 *f = drv_ram(&d[from], FRAME);
    memset(f, 0, 12);
    for (u32 i = 0; i < len; i++)
        f[12 + i] = i * 3;
    memset(f + 12, to == 0xff ? 0xff : 0, 6);
    f[12] |= to == 0xff ? 1 : 2;
    f[17] = to;
    drv_desc(&d[from], TX, 0, FRAME, 12 + len, 0, 0);
    drv_offer(&d[from], TX, 0);
    drv_kick(&d[from], TX);
}

static void got(int vm, unsigned n) { assert_int_equal(drv_used(&d[vm], RX), n); }

static void shows_its_address(void **state)
{
    assert_int_equal(fake_load(&fake_vms[1], d[1].base + 0x100, 1), 2);
    assert_int_equal(fake_load(&fake_vms[1], d[1].base + 0x105, 1), 2);
    assert_int_equal(fake_load(&fake_vms[1], d[1].base + 0x106, 1), 0);
}

/* So that a driver refuses longer frames (virtio 1.2, 5.1.4.1): feature 3, and the number behind status and pairs. */
static void offers_its_mtu(void **state)
{
    fake_store(&fake_vms[1], d[1].base + 0x14, 4, 0);
    assert_int_equal(fake_load(&fake_vms[1], d[1].base + 0x10, 4) & (1 << 5 | 1 << 3), 1 << 5 | 1 << 3);
    assert_int_equal(fake_load(&fake_vms[1], d[1].base + 0x10a, 2), 1500);
    send(0, 2, 1500 + 14);
    got(1, 1);
}

static void lost(unsigned a, unsigned b, unsigned c)
{
    const unsigned want[3] = { a, b, c };
    for (unsigned i = 0; i < 3; i++) {
        said[0] = '\0';
        net_switch_stats(&fake_vms[i]);
        unsigned number, n;
        assert_int_equal(sscanf(said, "  net %u: %u frames lost", &number, &n), 2);
        assert_int_equal(number, net - 1);
        assert_int_equal(n, want[i]);
    }
}

/* At the sender: what has no length of a frame, or an address of nobody; at the receiver: what it had no buffer for. */
static void each_lost_frame_is_counted(void **state)
{
    lost(0, 0, 0);
    send(0, 2, 100);
    lost(0, 0, 0);
    send(0, 2, 100); /* its only buffer is used */
    lost(0, 1, 0);
    send(0, 2, 1523);
    send(0, 2, 13);
    lost(2, 1, 0);
    send(0, 9, 60);
    lost(3, 1, 0);
    send(0, 0xff, 60); /* to 2, and not to 1 */
    lost(3, 2, 0);
    send(0, 0xff, 60);
    lost(3, 3, 1);
}

static void unicast_reaches_its_destination_only(void **state)
{
    send(0, 2, 100);
    got(0, 0), got(1, 1), got(2, 0);
    assert_int_equal(drv_used_len(&d[1], RX, 0), 112);
    assert_int_equal(drv_u16(&d[1], BUFFER + 10), 1); /* num_buffers */
    assert_memory_equal(drv_ram(&d[1], BUFFER + 12), drv_ram(&d[0], FRAME + 12), 100);
    assert_true(fake_vms[1].line[17]);
    assert_int_equal(drv_used(&d[0], TX), 1);
}

static void broadcast_reaches_all_others(void **state)
{
    send(1, 0xff, 60);
    got(0, 1), got(1, 0), got(2, 1);
}

/* Chains of many pieces use up what one exit may do; who has the frame already does not get it again. */
static void a_broadcast_goes_on_where_the_budget_ended(void **state)
{
    u8 *f = drv_ram(&d[0], FRAME);
    for (u32 i = 0; i < 172; i++)
        f[i] = (u8)(i < 12 ? 0 : i < 18 ? 0xff : i * 5);
    for (unsigned i = 0; i < 8; i++) {
        u16 flags = i < 7 ? DRV_NEXT : 0;
        drv_desc(&d[0], TX, i, FRAME + (i ? 32 + 20 * (i - 1) : 0), i ? 20 : 32, flags, (u16)(i + 1));
        for (unsigned k = 1; k < 3; k++)
            drv_desc(&d[k], RX, i, BUFFER + 40 * i, 40, flags | DRV_WRITE, (u16)(i + 1));
    }
    drv_offer(&d[1], RX, 0); /* one that is not used */
    drv_offer(&d[0], TX, 0);
    drv_kick(&d[0], TX);
    assert_in_range(fake_repeats, 1, 3);
    got(0, 0), got(1, 1), got(2, 1);
    for (unsigned k = 1; k < 3; k++)
        assert_memory_equal(drv_ram(&d[k], BUFFER + 12), f + 12, 160);
    assert_int_equal(drv_used(&d[0], TX), 1);
}

static void unknown_and_own_addresses_go_nowhere(void **state)
{
    send(0, 9, 60);
    send(0, 1, 60);
    got(0, 0), got(1, 0), got(2, 0);
    assert_int_equal(drv_used(&d[0], TX), 2);
}

static void frames_have_a_size(void **state)
{
    send(0, 2, 13);
    send(0, 2, 1523);
    got(1, 0);
    send(0, 2, 1514);
    got(1, 1);
    drv_desc(&d[0], TX, 0, FRAME, 5, 0, 0); /* not even a header */
    drv_offer(&d[0], TX, 0);
    drv_kick(&d[0], TX);
    assert_int_equal(drv_used(&d[0], TX), 4);
    assert_false(drv_broken(&d[0]));
}

static void without_a_buffer_the_frame_is_lost(void **state)
{
    send(0, 2, 60);
    send(0, 2, 60);
    got(1, 1);
    assert_int_equal(drv_used(&d[0], TX), 2);
    assert_false(drv_broken(&d[1]));
}

static void a_buffer_too_small_stays(void **state)
{
    drv_start(&d[1], 2);
    drv_desc(&d[1], RX, 0, BUFFER, 71, DRV_WRITE, 0);
    drv_offer(&d[1], RX, 0);
    send(0, 2, 60);
    got(1, 0);
    send(0, 2, 59);
    got(1, 1);
}

static void a_frame_in_pieces_lands_in_pieces(void **state)
{
    u8 *f = drv_ram(&d[0], FRAME);
    send(0, 9, 60);
    f[17] = 2;
    drv_desc(&d[0], TX, 0, FRAME, 7, DRV_NEXT, 1);
    drv_desc(&d[0], TX, 1, FRAME + 7, 8, DRV_NEXT, 2);
    drv_desc(&d[0], TX, 2, FRAME + 15, 57, 0, 0);
    drv_start(&d[1], 2);
    drv_desc(&d[1], RX, 0, BUFFER, 3, DRV_WRITE | DRV_NEXT, 1);
    drv_desc(&d[1], RX, 1, BUFFER + 3, 30, DRV_WRITE | DRV_NEXT, 2);
    drv_desc(&d[1], RX, 2, BUFFER + 33, 100, DRV_WRITE, 0);
    drv_offer(&d[1], RX, 0);
    drv_offer(&d[0], TX, 0);
    drv_kick(&d[0], TX);
    got(1, 1);
    assert_memory_equal(drv_ram(&d[1], BUFFER + 12), f + 12, 60);
}

static void a_bad_receiver_breaks_alone(void **state)
{
    drv_start(&d[1], 2);
    drv_desc(&d[1], RX, 0, FAKE_RAM, 1526, DRV_WRITE, 0);
    drv_offer(&d[1], RX, 0);
    send(0, 0xff, 60);
    assert_true(drv_broken(&d[1]));
    assert_false(drv_broken(&d[0]));
    assert_int_equal(drv_used(&d[0], TX), 1);
    got(2, 1);
}

static void a_reset_port_takes_nothing(void **state)
{
    fake_reset_devices(&fake_vms[1]);
    send(0, 0xff, 60);
    got(1, 0), got(2, 1);
}

static void other_switches_are_other_worlds(void **state)
{
    struct sys_device conf = { .type = SYS_DEV_NET, .slot = 0, .net = 15, .mac = { 2, 0, 0, 0, 0, 7 } };
    assert_int_equal(virtio_create(&fake_vms[3], &conf, NULL), 0);
    struct drv other = drv_at(&fake_vms[3], 0);
    drv_start(&other, 2);
    drv_desc(&other, RX, 0, BUFFER, 1526, DRV_WRITE, 0);
    drv_offer(&other, RX, 0);
    send(0, 7, 60);
    send(0, 0xff, 60);
    assert_int_equal(drv_used(&other, RX), 0);
}

static void switches_and_addresses_are_checked(void **state)
{
    struct sys_device conf = { .type = SYS_DEV_NET, .slot = 3, .net = 16, .mac = { 2, 0, 0, 0, 0, 1 } };
    assert_int_equal(virtio_create(&fake_vms[3], &conf, NULL), -ERANGE);
    conf.net = net - 1;
    conf.slot = 4;
    assert_int_equal(virtio_create(&fake_vms[3], &conf, NULL), -EEXIST);
}

static void many_frames_are_split(void **state)
{
    for (int i = 0; i < DRV_QUEUE; i++) {
        drv_desc(&d[0], TX, i, FRAME, 72, 0, 0);
        drv_offer(&d[0], TX, i);
    }
    drv_kick(&d[0], TX);
    assert_int_equal(drv_used(&d[0], TX), DRV_QUEUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(shows_its_address, setup),
        cmocka_unit_test_setup(offers_its_mtu, setup),
        cmocka_unit_test_setup(each_lost_frame_is_counted, setup),
        cmocka_unit_test_setup(unicast_reaches_its_destination_only, setup),
        cmocka_unit_test_setup(broadcast_reaches_all_others, setup),
        cmocka_unit_test_setup(a_broadcast_goes_on_where_the_budget_ended, setup),
        cmocka_unit_test_setup(unknown_and_own_addresses_go_nowhere, setup),
        cmocka_unit_test_setup(frames_have_a_size, setup),
        cmocka_unit_test_setup(without_a_buffer_the_frame_is_lost, setup),
        cmocka_unit_test_setup(a_buffer_too_small_stays, setup),
        cmocka_unit_test_setup(a_frame_in_pieces_lands_in_pieces, setup),
        cmocka_unit_test_setup(a_bad_receiver_breaks_alone, setup),
        cmocka_unit_test_setup(a_reset_port_takes_nothing, setup),
        cmocka_unit_test_setup(other_switches_are_other_worlds, setup),
        cmocka_unit_test_setup(switches_and_addresses_are_checked, setup),
        cmocka_unit_test_setup(many_frames_are_split, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
