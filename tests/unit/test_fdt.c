/* SPDX-License-Identifier: MIT */
/* What fdt.h's reader and machine_read() promise of a device tree, whole and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <arch/boot.h>
#include <arch/fdt.h>
#include <chacha.h>
#include <errors.h>
#include "fdt_image.h"

static u8 blob[FDT_IMAGE];
static struct boot_info bi;
static struct machine m;

static int read_it(void) { return machine_read(blob, sizeof(blob), &bi, &m); }

static int setup(void **state)
{
    fdt_image(blob);
    return 0;
}

/* The first place of a text in the blob. */
static u8 *find(const char *text)
{
    size_t n = strlen(text) + 1;
    for (size_t i = 0; i + n <= sizeof(blob); i++)
        if (!memcmp(blob + i, text, n))
            return blob + i;
    fail_msg("%s is not in the tree", text);
    return NULL;
}

static void test_reads_what_is_there(void **state)
{
    assert_int_equal(read_it(), 0);
    assert_string_equal(bi.cmdline, "quiet tagged");
    assert_int_equal(bi.system_base, 0x84000000);
    assert_int_equal(bi.system_size, 0x1000);
    assert_int_equal(bi.n_regions, 2);
    assert_int_equal(bi.region[0].type, BOOT_MEM_RESERVED);
    assert_int_equal(bi.region[0].size, 0x80000);
    assert_int_equal(bi.region[1].type, BOOT_MEM_RAM);
    assert_int_equal(bi.region[1].base, 0x80000000);
    assert_int_equal(bi.self, 2);
    assert_int_equal(bi.n_kernels, 3);
}

static void test_places_of_devices_are_in_the_order_of_their_addresses(void **state)
{
    const struct machine_slot *slot;
    assert_int_equal(read_it(), 0);
    u32 n = machine_slots(&slot);
    assert_true(n >= 3 && n <= MACHINE_SLOTS); /* trees that were read before have some, too */
    for (u32 i = 1; i < n; i++)
        assert_true(slot[i].at >= slot[i - 1].at);
    for (u32 i = 0; i < n; i++)
        assert_int_equal(slot[i].irq, slot[i].at / 0x1000 - 0x10000);
    for (u32 i = 0; i < 2 * MACHINE_SLOTS; i++)
        slot_take(0x20000000, 1);
    assert_int_equal(machine_slots(&slot), MACHINE_SLOTS);
}

static bool tree_has(const u8 *bytes, size_t n)
{
    for (size_t i = 0; i + n <= sizeof(blob); i++)
        if (!memcmp(blob + i, bytes, n))
            return true;
    return false;
}

static void test_a_seed_is_given_once_and_is_not_left_in_the_tree(void **state)
{
    u32 key[CHACHA_KEY];
    const u8 one[] = { 0x5e, 0xed, 0, 1, 0x5e, 0xed, 0, 2 };
    seed_give(key); /* that other tests have read */
    assert_true(tree_has(one, sizeof(one)));
    assert_int_equal(read_it(), 0);
    assert_false(tree_has(one, sizeof(one)));
    assert_true(seed_give(key));
    assert_int_equal(__builtin_bswap32(key[1]), 0x5eed0002);
    assert_int_equal(__builtin_bswap32(key[0]), 0xdeed0001); /* what is beyond a key's size is added */
    assert_false(seed_give(key));
    assert_int_equal(key[1], 0);
}

static void test_reads_harts_and_devices(void **state)
{
    assert_int_equal(read_it(), 0);
    assert_int_equal(m.n_harts, 2);
    assert_int_equal(m.hart[1], 5);
    assert_int_equal(m.time_hz, 10000000);
    assert_true(m.sstc && m.svnapot);
    assert_int_equal(m.uart, 0x10000000);
    assert_int_equal(m.uart_irq, 10);
    assert_int_equal(m.plic, 0xc000000);
    assert_int_equal(m.plic_context[0], 1);
    assert_int_equal(m.plic_context[1], 3);
    assert_int_equal(m.bell[0], 0x2f00004); /* of the second node's */
    assert_int_equal(m.bell[1], 0x2f00100);
    assert_int_equal(m.rtc, 0);
}

static void test_an_extension_counts_when_all_harts_have_it(void **state)
{
    u8 *isa = find("rv64imafdc_sstc_svnapot_zba");
    memcpy(isa, "rv64imafdc_sstx", 15);
    assert_int_equal(read_it(), 0);
    assert_true(!m.sstc && m.svnapot);
    memcpy(isa, "rv64imafdc_sstc_svnapox", 23);
    assert_int_equal(read_it(), 0);
    assert_true(m.sstc && !m.svnapot);
}

static void test_refuses_what_is_no_tree(void **state)
{
    static const u32 word[] = { 0, 1, 2, 3, 6, 8, 9 }; /* of the header */
    for (unsigned i = 0; i < ARRAY_SIZE(word); i++) {
        fdt_image(blob);
        fdt_put(blob + 4 * word[i], 0xfffffff0);
        assert_int_equal(read_it(), -EINVAL);
    }
}

static void test_refuses_a_tree_without_memory_harts_or_timer(void **state)
{
    static const char *const names[] = { "memory@80000000", "cpus" };
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        fdt_image(blob);
        find(names[i])[0] = 'x';
        assert_int_equal(read_it(), -EINVAL);
    }
}

static void test_memory_that_wraps_is_refused(void **state)
{
    fdt_put(find("memory@80000000") + 16 + 12, 0xffffffff); /* the upper half of the base */
    fdt_put(find("memory@80000000") + 16 + 20, 0xffffffff);
    assert_int_equal(read_it(), -EINVAL);
}

static void test_a_cluster_beyond_the_count_is_refused(void **state)
{
    u8 *at = find("amalgam,cluster") + 16;
    assert_int_equal(at[15], 2);
    at[15] = 3;
    assert_int_equal(read_it(), -EINVAL);
}

static void test_the_last_hart_is_an_engine_where_the_tree_says_so(void **state)
{
    u8 *clusters = find("amalgam,cluster") + 16 + 2 * 16 + 12; /* behind number and count */
    assert_int_equal(clusters[2 * 16 + 15], 1);
    assert_int_equal(read_it(), 0);
    assert_int_equal(bi.exempt, 1);
    clusters[2 * 16 + 15] = 0;
    clusters[16 + 15] = 1; /* another cluster's */
    assert_int_equal(read_it(), 0);
    assert_int_equal(bi.exempt, 0);
}

static void test_harts_that_a_cluster_lists_are_all(void **state)
{
    fdt_image_listed(blob);
    assert_int_equal(read_it(), 0);
    assert_int_equal(m.n_harts, 2);
    assert_int_equal(m.hart[0], 3);
    assert_int_equal(m.hart[1], 7);
    assert_int_equal(m.bell[0], 0x2f0000c);
    assert_int_equal(m.bell[1], 0); /* its offset is not in the doorbells */
    assert_int_equal(m.plic_context[1], NO_NUMBER);
    assert_int_equal(m.time_hz, 1000000);
    assert_true(m.sstc && m.svnapot);
    assert_int_equal(m.n_rings, 1);
    memcpy(find("amalgam,svnapot"), "amalgam,svnapox", 15);
    assert_int_equal(read_it(), 0);
    assert_true(m.sstc && !m.svnapot);
}

static void test_a_tree_that_is_cut_off_is_never_left(void **state)
{
    for (u32 size = 0; size < 2048; size += 4) {
        fdt_image(blob);
        fdt_put(blob + 36, size);
        read_it(); /* whatever it answers: the sanitizer sees a read beyond the blob */
        u8 *copy = test_malloc(FDT_STRUCT + size);
        memcpy(copy, blob, FDT_STRUCT + size);
        assert_int_equal(machine_read(copy, FDT_STRUCT + size, &bi, &m), -EINVAL);
        test_free(copy);
    }
}

/* Most have names that nobody asks for; of two with the same name the first one counts. */
static void test_a_node_has_as_many_properties_as_it_likes(void **state)
{
    struct fdt_image f = { blob, FDT_STRUCT, FDT_TEXT };
    struct fdt tree;
    char name[] = "property-a";
    memset(blob + FDT_STRUCT, 0, FDT_IMAGE - FDT_STRUCT);
    fdt_begin(&f, "");
    FDT_CELLS(&f, "phandle", 25);
    for (u32 i = 0; i < 26; i++, name[9]++)
        FDT_CELLS(&f, name, i);
    FDT_CELLS(&f, "reg-shift", 3);
    FDT_CELLS(&f, "phandle", 26);
    fdt_begin(&f, "child");
    FDT_CELLS(&f, "reg-shift", 99);
    fdt_end(&f);
    fdt_end(&f);
    fdt_cell_add(&f, 9);
    assert_int_equal(fdt_open(&tree, blob, sizeof(blob)), 0);
    unsigned depth = 0;
    u32 root = fdt_next(&tree, 0, &depth), child = fdt_next(&tree, root, &depth);
    assert_int_equal(depth, 1);
    assert_int_equal(fdt_cell(&tree, root, FDT_PHANDLE, 77), 25);
    assert_int_equal(fdt_cell(&tree, root, FDT_REG_SHIFT, 77), 3);
    assert_int_equal(fdt_cell(&tree, root, FDT_REG, 77), 77);
    assert_int_equal(fdt_cell(&tree, child, FDT_REG_SHIFT, 77), 99);
    assert_int_equal(fdt_cell(&tree, root, FDT_REG_SHIFT, 77), 3);
    depth = 0;
    assert_int_equal(fdt_next(&tree, root, &depth), child);
    assert_int_equal(fdt_cell(&tree, child, FDT_PHANDLE, 77), 77);
    assert_int_equal(fdt_next(&tree, child, &depth), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_node_has_as_many_properties_as_it_likes, setup),
        cmocka_unit_test_setup(test_reads_what_is_there, setup),
        cmocka_unit_test_setup(test_places_of_devices_are_in_the_order_of_their_addresses, setup),
        cmocka_unit_test_setup(test_a_seed_is_given_once_and_is_not_left_in_the_tree, setup),
        cmocka_unit_test_setup(test_reads_harts_and_devices, setup),
        cmocka_unit_test_setup(test_an_extension_counts_when_all_harts_have_it, setup),
        cmocka_unit_test_setup(test_refuses_what_is_no_tree, setup),
        cmocka_unit_test_setup(test_refuses_a_tree_without_memory_harts_or_timer, setup),
        cmocka_unit_test_setup(test_memory_that_wraps_is_refused, setup),
        cmocka_unit_test_setup(test_harts_that_a_cluster_lists_are_all, setup),
        cmocka_unit_test_setup(test_a_cluster_beyond_the_count_is_refused, setup),
        cmocka_unit_test_setup(test_the_last_hart_is_an_engine_where_the_tree_says_so, setup),
        cmocka_unit_test_setup(test_a_tree_that_is_cut_off_is_never_left, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
