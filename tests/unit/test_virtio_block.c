/* SPDX-License-Identifier: MIT */
/* Virtio block over RAM: requests, limits, read-only, split work, and requests that change while they are served. */
#include "virtio_test.h"

static struct vm *vm = &fake_vms[0];
static struct drv d;
static u8 disk[512 * 1024 + 100]; /* a fraction of a sector at the end is not shown */
enum { HEADER = 0x2000, STATUS = 0x2100, TABLE = 0x4000, DATA = 0x20000 };
enum { IN = 0, OUT = 1, FLUSH = 4, GET_ID = 8 };

static void create(u8 flags)
{
    struct sys_device conf = { .type = SYS_DEV_BLOCK, .payload = 0, .flags = flags };
    fake_init();
    for (unsigned i = 0; i < sizeof(disk); i++)
        disk[i] = i / 512 + i;
    fake_payload(disk, sizeof(disk));
    d = plugged(vm, &conf);
    drv_start(&d, 1);
}

static int setup(void **state)
{
    create(0);
    return 0;
}

static void header(u32 type, u64 sector)
{
    memset(drv_ram(&d, HEADER), 0, 16);
    memcpy(drv_ram(&d, HEADER), &type, 4);
    memcpy(drv_ram(&d, HEADER + 8), &sector, 8);
    drv_ram(&d, STATUS)[0] = 0xff;
}

/* Header, data, status. Returns the status byte. */
static u8 request(u32 type, u64 sector, u32 len)
{
    header(type, sector);
    drv_desc(&d, 0, 0, HEADER, 16, DRV_NEXT, 1);
    drv_desc(&d, 0, 1, DATA, len, DRV_NEXT | (type == OUT ? 0 : DRV_WRITE), 2);
    drv_desc(&d, 0, 2, STATUS, 1, DRV_WRITE, 0);
    drv_offer(&d, 0, 0);
    drv_kick(&d, 0);
    return drv_ram(&d, STATUS)[0];
}

static void tells_its_capacity(void **state)
{
    assert_int_equal(fake_load(vm, d.base + 0x100, 4), 1024);
    assert_int_equal(fake_load(vm, d.base + 0x104, 4), 0);
    assert_int_equal(fake_load(vm, d.base + 0x10c, 4), 27);
    assert_int_equal(fake_load(vm, d.base + 0x110, 4), 0);
    assert_int_equal(fake_load(vm, d.base + 0x100, 8), 1024);
    assert_int_equal(fake_load(vm, d.base + 0x101, 1), 4);
}

static void reads(void **state)
{
    assert_int_equal(request(IN, 7, 1024), 0);
    assert_memory_equal(drv_ram(&d, DATA), disk + 7 * 512, 1024);
    assert_int_equal(drv_used_len(&d, 0, 0), 1025);
    assert_int_equal(request(IN, 1023, 512), 0);
    assert_memory_equal(drv_ram(&d, DATA), disk + 1023 * 512, 512);
}

static void writes(void **state)
{
    memset(drv_ram(&d, DATA), 0xc3, 1024);
    assert_int_equal(request(OUT, 1022, 1024), 0);
    assert_int_equal(drv_used_len(&d, 0, 0), 1);
    assert_int_equal(disk[1022 * 512], 0xc3);
    assert_int_equal(disk[1024 * 512 - 1], 0xc3);
    assert_int_equal(disk[1024 * 512], (u8)1024);
}

/* A driver may put its pieces into an indirect table, whose own descriptor is one more of the chain. */
static void as_many_pieces_as_it_says_fit_into_a_table(void **state)
{
    u32 pieces = fake_load(vm, d.base + 0x10c, 4);
    drv_enlarge(&d, 0, 64);
    header(IN, 3);
    drv_desc(&d, 0, 0, TABLE, 16 * (pieces + 2), DRV_INDIRECT, 0);
    drv_desc_at(&d, TABLE, 0, HEADER, 16, DRV_NEXT, 1);
    for (u32 i = 1; i <= pieces; i++)
        drv_desc_at(&d, TABLE, i, DATA + 512 * (i - 1), 512, DRV_NEXT | DRV_WRITE, i + 1);
    drv_desc_at(&d, TABLE, pieces + 1, STATUS, 1, DRV_WRITE, 0);
    drv_offer(&d, 0, 0);
    drv_kick(&d, 0);
    assert_false(drv_broken(&d));
    assert_int_equal(drv_ram(&d, STATUS)[0], 0);
    assert_memory_equal(drv_ram(&d, DATA), disk + 3 * 512, 512 * pieces);
}

static void flushes_and_names_itself(void **state)
{
    assert_int_equal(request(FLUSH, 0, 0), 0);
    memset(drv_ram(&d, DATA), 0xff, 20);
    assert_int_equal(request(GET_ID, 0, 20), 0);
    assert_string_equal((const char *)drv_ram(&d, DATA), "amalgam");
    assert_int_equal(request(11, 0, 512), 2); /* not supported */
    assert_int_equal(request(0xffffffff, 0, 512), 2);
}

static void requests_stay_on_the_disk(void **state)
{
    static const struct {
        u64 sector;
        u32 len;
    } bad[] = {
        { 1024, 512 }, { 1023, 1024 }, { -1ull, 512 }, { 1ull << 55, 512 }, { (1ull << 55) - 1, 1024 },
        { 0, 511 },    { 0, 1 },
    };
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        assert_int_equal(request(IN, bad[i].sector, bad[i].len), 1);
        assert_int_equal(request(OUT, bad[i].sector, bad[i].len), 1);
    }
    assert_int_equal(request(IN, 1024, 0), 0); /* nothing, from the very end */
    for (unsigned i = 0; i < sizeof(disk); i++)
        assert_int_equal(disk[i], (u8)(i / 512 + i));
}

static void read_only_is_offered_and_kept(void **state)
{
    create(SYS_DEV_READONLY);
    drv_set(&d, 0x14, 0);
    assert_int_equal(drv_get(&d, 0x10) & 1 << 5, 1 << 5);
    assert_int_equal(request(OUT, 0, 512), 1);
    assert_int_equal(disk[1], 1);
    assert_int_equal(request(IN, 0, 512), 0);
}

static void framing_is_free(void **state)
{
    header(IN, 3); /* header in two pieces, data and status in one */
    drv_desc(&d, 0, 0, HEADER, 5, DRV_NEXT, 1);
    drv_desc(&d, 0, 1, HEADER + 5, 11, DRV_NEXT, 2);
    drv_desc(&d, 0, 2, DATA, 513, DRV_WRITE, 0);
    drv_offer(&d, 0, 0);
    drv_kick(&d, 0);
    assert_memory_equal(drv_ram(&d, DATA), disk + 3 * 512, 512);
    assert_int_equal(drv_ram(&d, DATA)[512], 0);
    assert_int_equal(drv_used_len(&d, 0, 0), 513);
}

static void malformed_requests_break_the_device(void **state)
{
    header(IN, 0);
    drv_desc(&d, 0, 0, HEADER, 15, DRV_NEXT, 1); /* half a header */
    drv_desc(&d, 0, 1, STATUS, 1, DRV_WRITE, 0);
    drv_offer(&d, 0, 0);
    drv_kick(&d, 0);
    assert_true(drv_broken(&d));
    drv_start(&d, 1);
    drv_desc(&d, 0, 0, HEADER, 16, 0, 0); /* no status */
    drv_offer(&d, 0, 0);
    drv_kick(&d, 0);
    assert_true(drv_broken(&d));
    drv_start(&d, 1);
    drv_desc(&d, 0, 0, STATUS, 17, DRV_WRITE, 0); /* no header */
    drv_offer(&d, 0, 0);
    drv_kick(&d, 0);
    assert_true(drv_broken(&d));
}

static void large_requests_are_split(void **state)
{
    assert_int_equal(request(IN, 0, 512 * 1024), 0);
    assert_in_range(fake_repeats, 16, 32);
    assert_memory_equal(drv_ram(&d, DATA), disk, 512 * 1024);
    assert_int_equal(drv_used(&d, 0), 1);
    assert_int_equal(drv_used_len(&d, 0, 0), 512 * 1024 + 1);
    assert_int_equal(vm->rises[16], 1);
    for (int i = 0; i < 512 * 1024; i++)
        drv_ram(&d, DATA)[i] = i * 7;
    assert_int_equal(request(OUT, 0, 512 * 1024), 0);
    assert_memory_equal(drv_ram(&d, DATA), disk, 512 * 1024);
}

/* Begin a 512 KiB request of which one exit does only a part. */
static struct vdev *begin(u32 type)
{
    struct vdev *dev = vm->range[0].dev;
    header(type, 0);
    drv_desc(&d, 0, 0, HEADER, 16, DRV_NEXT, 1);
    drv_desc(&d, 0, 1, DATA, 512 * 1024, DRV_NEXT | (type == OUT ? 0 : DRV_WRITE), 2);
    drv_desc(&d, 0, 2, STATUS, 1, DRV_WRITE, 0);
    drv_offer(&d, 0, 0);
    dev->ops->write(dev, 0x50, 4, 0);
    assert_true(dev->again);
    dev->again = false;
    return dev;
}

static void a_request_rewritten_meanwhile_stays_on_the_disk(void **state)
{
    for (u32 type = IN; type <= OUT; type++) {
        setup(state);
        begin(type);
        header(type, 1023); /* what was measured no longer fits */
        drv_desc(&d, 0, 1, DATA, 512, DRV_NEXT | (type == OUT ? 0 : DRV_WRITE), 2);
        drv_kick(&d, 0);
        assert_int_equal(drv_ram(&d, STATUS)[0], 1);
        setup(state);
        begin(type);
        drv_desc(&d, 0, 1, DATA, 512, DRV_NEXT | (type == OUT ? 0 : DRV_WRITE), 2); /* shorter than what is done */
        drv_kick(&d, 0);
        assert_true(drv_broken(&d));
        setup(state);
        begin(type);
        header(type == IN ? OUT : IN, 0);
        drv_kick(&d, 0);
        setup(state);
        begin(type);
        header(type, 1000);
        drv_kick(&d, 0);
        assert_int_equal(drv_ram(&d, STATUS)[0], 1);
    }
}

static void many_requests_are_split_too(void **state)
{
    header(FLUSH, 0);
    for (int i = 0; i < 4; i++) {
        drv_desc(&d, 0, 2 * i, HEADER, 16, DRV_NEXT, 2 * i + 1);
        drv_desc(&d, 0, 2 * i + 1, DATA, 32 * 1024 + 1, DRV_WRITE, 0);
        drv_offer(&d, 0, 2 * i);
    }
    header(IN, 0);
    drv_kick(&d, 0);
    assert_int_equal(drv_used(&d, 0), 4);
    assert_in_range(fake_repeats, 4, 8);
}

static void no_payload_no_disk(void **state)
{
    struct sys_device conf = { .type = SYS_DEV_BLOCK, .slot = 1, .payload = SYS_NONE };
    assert_int_equal(virtio_create(vm, &conf, NULL), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(tells_its_capacity, setup),
        cmocka_unit_test_setup(reads, setup),
        cmocka_unit_test_setup(writes, setup),
        cmocka_unit_test_setup(as_many_pieces_as_it_says_fit_into_a_table, setup),
        cmocka_unit_test_setup(flushes_and_names_itself, setup),
        cmocka_unit_test_setup(requests_stay_on_the_disk, setup),
        cmocka_unit_test_setup(read_only_is_offered_and_kept, setup),
        cmocka_unit_test_setup(framing_is_free, setup),
        cmocka_unit_test_setup(malformed_requests_break_the_device, setup),
        cmocka_unit_test_setup(large_requests_are_split, setup),
        cmocka_unit_test_setup(a_request_rewritten_meanwhile_stays_on_the_disk, setup),
        cmocka_unit_test_setup(many_requests_are_split_too, setup),
        cmocka_unit_test_setup(no_payload_no_disk, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
