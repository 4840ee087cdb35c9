/* SPDX-License-Identifier: MIT */
/* Virtio devices on PCI: where their registers are, whatever their capabilities say, and what is told them there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>

#include <generated/dma_calls.h>

#include "device/device.h"
#include "device/virtqueue.h"
#include "fake_pci.h"

/* No device of these tests is in ports. */
static u32 no_port(void) { abort(); }
#define inb(port)        no_port()
#define inw(port)        no_port()
#define inl(port)        no_port()
#define outb(port, byte) no_port()
#define outw(port, half) no_port()
#define outl(port, word) no_port()
#include "board/pc/pci_virtio.c"

#define BASE 0x100000000ull /* of the device's registers */

struct boot_info boot_info;
struct device *device_handles[SYS_MAX_DOMAINS][HANDLES];
static u8 behind[0x4000]; /* the base address */
static unsigned maps;
static struct process process;
static struct domain domain;
static struct process_thread thread = { .process = &process };
static struct device device;

void *hal_map_device(paddr_t pa, size_t size)
{
    maps++;
    assert_true(pa >= BASE && pa + size <= BASE + sizeof(behind));
    return behind + (pa - BASE);
}

u32 pci_ports(u32 place, unsigned n) { return fake_word(PCI_BAR0); }
bool pci_is_here(void) { return true; }
u8 pci_line(u32 slot, u32 pin) { return 20; }

static int setup(void **unused)
{
    fake_virtio_pci(BASE);
    memset(behind, 0, sizeof(behind));
    memset(registers, 0, sizeof(registers));
    boot_info = (struct boot_info){ 0 };
    maps = 0;
    return 0;
}

static s32 find(void) { return pci_registers(&device_virtio_block.kind, 0, 3); }

static u32 at16(u32 at) { return (u32)(behind[at] | behind[at + 1] << 8); }
static u64 at64(u32 at)
{
    u64 value;
    memcpy(&value, behind + at, 8);
    return value;
}

static void parts_are_where_the_capabilities_say(void **unused)
{
    struct virtio_parts found;
    assert_int_equal(virtio_parts_find(0, &found), 0);
    assert_int_equal(found.part[PART_COMMON].at, BASE);
    assert_int_equal(found.part[PART_INTERRUPT].at, BASE + 0x1000);
    assert_int_equal(found.part[PART_CONFIG].at, BASE + 0x2000);
    assert_int_equal(found.part[PART_CONFIG].size, 256);
    assert_int_equal(found.part[PART_BELLS].at, BASE + 0x3000);
    assert_int_equal(found.part[PART_BELLS].size, 0x1000);
    assert_int_equal(found.step, 4);
}

static void base_addresses_are_left_as_they_were_and_messages_are_off(void **unused)
{
    u8 before[24];
    memcpy(before, fake_pci.space + PCI_BAR0, sizeof(before));
    assert_int_equal(find(), 3);
    assert_memory_equal(fake_pci.space + PCI_BAR0, before, sizeof(before));
    assert_int_equal(fake_word(0x98) >> 31, 0);
}

static void a_part_that_is_not_in_its_base_address_is_none(void **unused)
{
    const struct {
        u32 bar, offset, size;
    } wrong[] = {
        { 4, 0x4000, 0x1000 }, { 4, 0x3fd0, 56 }, { 4, ~0u, 56 },    { 4, 0, ~0u },         { 4, 0x1000, 0xfffff000u },
        { 4, 0, 55 },          { 4, 2, 56 },      { 5, 0, 56 },      { 6, 0, 56 },          { 255, 0, 56 },
        { 0, 0, 56 },          { 4, 0, 0 },       { 4, 0x4001, 56 }, { 4, 0x80000000, 56 }, { 1, 0xfd0, 56 },
    };
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        setup(NULL);
        fake_capability(0x40, 0, 1, wrong[i].bar, wrong[i].offset, wrong[i].size, 0);
        assert_int_equal(find(), -ENODEV);
        assert_int_equal(maps, 0);
    }
}

static void a_base_address_that_nobody_has_set_or_that_is_in_ports_is_none(void **unused)
{
    const u32 wrong[][2] = { { 0xc, 0 }, { 0x1, 1 }, { 0xa, 1 }, { 0xe, 1 }, { 0x100c, 1 } };
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        setup(NULL);
        fake_put(PCI_BAR0 + 16, wrong[i][0]);
        fake_put(PCI_BAR0 + 20, wrong[i][1]);
        assert_int_equal(find(), -ENODEV);
    }
    setup(NULL);
    fake_put(PCI_BAR0 + 20, ~0u); /* its end is no address any more */
    fake_put(PCI_BAR0 + 16, 0xffffc00c);
    fake_pci.size[4] = 0;
    assert_int_equal(find(), -ENODEV);
}

static void a_part_in_memory_that_is_the_kernels_is_none(void **unused)
{
    boot_info.n_regions = 1;
    boot_info.region[0] = (struct boot_region){ BASE + 0x2800, 0x1000, BOOT_MEM_RAM };
    assert_int_equal(find(), -ENODEV);
    setup(NULL);
    boot_info.n_regions = 1;
    boot_info.region[0] = (struct boot_region){ 0, BASE, BOOT_MEM_RAM };
    assert_int_equal(find(), 3);
}

static void a_device_without_one_of_its_parts_is_left_out(void **unused)
{
    for (u32 at = 0x40; at <= 0x70; at += 16) {
        setup(NULL);
        fake_pci.space[at + 3] = 5;
        assert_int_equal(find(), -ENODEV);
    }
    setup(NULL);
    fake_put(PCI_COMMAND, 0);
    assert_int_equal(find(), -ENODEV);
}

static void a_list_without_end_is_read_to_its_bound(void **unused)
{
    fake_pci.space[0x41] = 0x98;
    assert_int_equal(find(), 3);
    assert_true(fake_pci.accesses < 2000);
    setup(NULL);
    fake_pci.space[0x99] = 0x98; /* names itself */
    assert_int_equal(find(), -ENODEV);
    assert_true(fake_pci.accesses < 2000);
    setup(NULL);
    fake_pci.space[0x99] = 0x10; /* before all capabilities */
    assert_int_equal(find(), -ENODEV);
}

static void of_two_capabilities_of_a_kind_the_first_is_taken(void **unused)
{
    fake_capability(0xb0, 0x98, 1, 4, 0x800, 56, 0);
    fake_put(0x34, 0xb0);
    struct virtio_parts found;
    assert_int_equal(virtio_parts_find(0, &found), 0);
    assert_int_equal(found.part[PART_COMMON].at, BASE + 0x800);
    fake_capability(0xb0, 0x98, 1, 5, 0, 56, 0); /* makes no sense: the next one is */
    assert_int_equal(virtio_parts_find(0, &found), 0);
    assert_int_equal(found.part[PART_COMMON].at, BASE);
}

static void a_capability_that_ends_behind_the_space_is_none(void **unused)
{
    fake_pci.space[0x99] = 0xf4;
    fake_put(0xf4, 9 | 0x84 << 8 | 20u << 16 | 2u << 24);
    struct virtio_parts found;
    assert_int_equal(virtio_parts_find(0, &found), 0);
    assert_int_equal(found.part[PART_BELLS].at, BASE + 0x3000);
}

/* A device whose queues are one, in plain memory: it keeps what it is told. */
static void begin(void)
{
    memset(behind + 4, 0xff, 4); /* features */
    behind[24] = 0;
    behind[25] = 1; /* a queue of 256 pieces */
    behind[30] = 5; /* its bell */
    paddr_t memory = device.state.memory;
    if (!memory)
        memory = (uintptr_t)mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    process.domain = &domain;
    device = (struct device){ .class = &device_virtio_block, .process = &process, .state = { .memory = memory } };
    device.hal.registers = (u16)find();
    device_handles[0][0] = &device;
}

static void a_device_is_begun_and_told_at_its_queues_bell(void **unused)
{
    begin();
    assert_true(device.class->start(&device));
    assert_int_equal(behind[20], 15);
    assert_int_equal(at16(22), 0);
    assert_int_equal(at16(24), VIRTQUEUE_PIECES);
    assert_int_equal(at16(28), 1);
    const struct virtqueue *q = virtqueue_of(&device, 0);
    assert_int_equal(at64(32), (uintptr_t)q->piece);
    assert_int_equal(at64(40), (uintptr_t)&q->offered);
    assert_int_equal(at64(48), (uintptr_t)&q->used);
    memset(behind + 0x3000, 0xff, 0x1000);
    assert_true(dma_call_dma_submit(&thread.user, 0, 0, 0, 16) >= 0);
    assert_int_equal(at16(0x3000 + 5 * 4), 0);
    assert_int_equal(at16(0x3000 + 5 * 4 + 2), 0xffff);
    device.class->reset(&device.hal, &device.state);
    assert_int_equal(behind[20], 0);
    assert_true(device.class->is_reset(&device.hal));
}

static void a_bell_outside_its_part_begins_no_device(void **unused)
{
    begin();
    behind[30] = 0xff;
    behind[31] = 0xff;
    assert_false(device.class->start(&device));
    fake_put(0x80, 0xffffffff); /* the step */
    begin();
    behind[30] = 1;
    assert_false(device.class->start(&device));
    fake_put(0x80, 1); /* an odd place */
    begin();
    assert_false(device.class->start(&device));
    assert_int_not_equal(behind[20], 15);
}

static void a_register_behind_its_part_is_not_reached(void **unused)
{
    fake_capability(0x60, 0x50, 4, 4, 0x2000, 8, 0);
    behind[0x2007] = 7;
    device.hal.registers = (u16)find();
    assert_int_equal(hal_device_read(&device.hal, 7, 1), 7);
    assert_int_equal(hal_device_read(&device.hal, 8, 1), ~0u);
    assert_int_equal(hal_device_read(&device.hal, 6, 4), ~0u);
    hal_device_write(&device.hal, 6, 4, 0x55555555);
    assert_int_equal(behind[0x2007], 7);
}

static void only_memory_is_decoded_and_the_bus_is_the_devices_when_it_is_let(void **unused)
{
    begin();
    hal_device_master(&device.hal, false);
    assert_int_equal(fake_word(PCI_COMMAND) & 0xffff, 2);
    hal_device_master(&device.hal, true);
    assert_int_equal(fake_word(PCI_COMMAND) & 0xffff, 6);
}

static void the_boards_own_ports_are_no_devices(void **unused)
{
    static const struct hal_device_kind card = { .name = "card" };
    fake_put(PCI_BAR0, 0xc001);
    assert_int_equal(pci_registers(&card, 0, 0), 0xc000);
    fake_put(PCI_BAR0, 0x5);
    assert_int_equal(pci_registers(&card, 0, 0), -ENODEV);
    fake_put(PCI_BAR0, 0x10001);
    assert_int_equal(pci_registers(&card, 0, 0), -ENODEV);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parts_are_where_the_capabilities_say),
        TEST(base_addresses_are_left_as_they_were_and_messages_are_off),
        TEST(a_part_that_is_not_in_its_base_address_is_none),
        TEST(a_base_address_that_nobody_has_set_or_that_is_in_ports_is_none),
        TEST(a_part_in_memory_that_is_the_kernels_is_none),
        TEST(a_device_without_one_of_its_parts_is_left_out),
        TEST(a_list_without_end_is_read_to_its_bound),
        TEST(of_two_capabilities_of_a_kind_the_first_is_taken),
        TEST(a_capability_that_ends_behind_the_space_is_none),
        TEST(a_device_is_begun_and_told_at_its_queues_bell),
        TEST(a_bell_outside_its_part_begins_no_device),
        TEST(a_register_behind_its_part_is_not_reached),
        TEST(only_memory_is_decoded_and_the_bus_is_the_devices_when_it_is_let),
        TEST(the_boards_own_ports_are_no_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
