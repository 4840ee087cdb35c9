/* SPDX-License-Identifier: MIT */
/* Split drivers: a disk and a network whose other half is played by the test, well and badly. */
#include "virtio_test.h"

#include <core/log.h>
#include <core/split.h>
#include <stdio.h>
#include <stdlib.h>

/* --- the shared area, and Linux's side of it ------------------------------------------------------------ */

static struct {
    struct split_entry e;
    char name[BACKEND_NAME];
    u8 *memory;
    unsigned rings;
} entries[8];
static int n_entries;
static unsigned n_printed;

int split_claim(const struct split_entry *e, void **memory)
{
    if (n_entries == ARRAY_SIZE(entries))
        return -ENOSPC;
    entries[n_entries].e = *e;
    snprintf(entries[n_entries].name, BACKEND_NAME, "%s", e->name);
    *memory = entries[n_entries].memory = calloc(1, e->size);
    entries[n_entries].rings = 0;
    return n_entries++;
}
void split_ring(unsigned entry) { entries[entry].rings++; }
void printk(const char *fmt, ...) { n_printed++; }
int ksnprintf(char *buf, size_t size, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(buf, size, fmt, ap);
    va_end(ap);
    return n;
}
const char *sys_string(const struct sys_header *h, u32 off) { return "disk0"; }

static u8 file[4 << 20];
static unsigned served;

static struct backend_block *out(void) { return (void *)entries[0].memory; }
static bool ring(int i) { return entries[i].e.rung(entries[i].e.arg); }

/* Serve what the kernel asked for, if it did. */
static bool serve(void)
{
    struct backend_block *b = out();
    if (b->asked == b->done)
        return false;
    assert_in_range(b->length, 0, BACKEND_DATA);
    if (b->operation == BACKEND_READ)
        memcpy(b->data, file + b->sector * 512, b->length);
    else if (b->operation == BACKEND_WRITE)
        memcpy(file + b->sector * 512, b->data, b->length);
    b->done = b->asked;
    served++;
    ring(0);
    return true;
}

/* --- the disk -------------------------------------------------------------------------------------------- */

static struct vm *vm = &fake_vms[0];
static struct drv d;
enum { HEADER = 0x2000, STATUS = 0x2100, TABLE = 0x4000, DATA = 0x20000 };
enum { IN = 0, OUT = 1, FLUSH = 4, GET_ID = 8 };
#define SECTORS 8000u

static void plug_disk(u8 flags)
{
    fake_init();
    while (n_entries)
        free(entries[--n_entries].memory);
    served = n_printed = 0;
    for (unsigned i = 0; i < sizeof(file); i++)
        file[i] = (u8)(i / 512 + i);
    struct sys_device conf = { .type = SYS_DEV_BLOCK, .flags = flags | SYS_DEV_BACKEND, .sectors = SECTORS };
    d = plugged(vm, &conf);
    drv_start(&d, 1);
}

static void a_disk_has_a_size_that_can_be(void **state)
{
    const u64 most = 1ull << 48;
    struct sys_device conf = { .type = SYS_DEV_BLOCK, .slot = 1, .flags = SYS_DEV_BACKEND, .sectors = most + 1 };
    assert_int_equal(virtio_create(vm, &conf, NULL), -ERANGE);
    conf.sectors = ~0ull;
    assert_int_equal(virtio_create(vm, &conf, NULL), -ERANGE);
    conf.sectors = most;
    assert_int_equal(virtio_create(vm, &conf, NULL), 0);
    assert_int_equal(entries[n_entries - 1].e.sectors, most);
}

static int disk(void **state)
{
    plug_disk(0);
    return 0;
}

static void offer(u32 type, u64 sector, u32 len)
{
    memset(drv_ram(&d, HEADER), 0, 16);
    memcpy(drv_ram(&d, HEADER), &type, 4);
    memcpy(drv_ram(&d, HEADER + 8), &sector, 8);
    drv_ram(&d, STATUS)[0] = 0xff;
    drv_desc(&d, 0, 0, HEADER, 16, DRV_NEXT, 1);
    drv_desc(&d, 0, 1, DATA, len, DRV_NEXT | (type == OUT ? 0 : DRV_WRITE), 2);
    drv_desc(&d, 0, 2, STATUS, 1, DRV_WRITE, 0);
    drv_offer(&d, 0, 0);
    drv_kick(&d, 0);
}

static u8 request(u32 type, u64 sector, u32 len)
{
    offer(type, sector, len);
    while (serve())
        ;
    return drv_ram(&d, STATUS)[0];
}

static void announces_itself(void **state)
{
    assert_int_equal(n_entries, 1);
    assert_string_equal(entries[0].name, "disk0");
    assert_int_equal(entries[0].e.sectors, SECTORS);
    assert_int_equal(fake_load(vm, d.base + 0x100, 4), SECTORS);
}

static void reads_and_writes_through_the_back_end(void **state)
{
    assert_int_equal(request(IN, 9, 1024), 0);
    assert_memory_equal(drv_ram(&d, DATA), file + 9 * 512, 1024);
    assert_int_equal(drv_used_len(&d, 0, 0), 1025);
    memset(drv_ram(&d, DATA), 0xc3, 512);
    assert_int_equal(request(OUT, SECTORS - 1, 512), 0);
    assert_int_equal(file[(SECTORS - 1) * 512], 0xc3);
    assert_int_equal(request(FLUSH, 0, 0), 0);
    assert_int_equal(served, 3);
}

/* A driver may put its pieces into an indirect table, whose own descriptor is one more of the chain. */
static void as_many_pieces_as_it_says_fit_into_a_table(void **state)
{
    u32 pieces = fake_load(vm, d.base + 0x10c, 4);
    drv_enlarge(&d, 0, 64);
    memset(drv_ram(&d, HEADER), 0, 16);
    drv_ram(&d, STATUS)[0] = 0xff;
    drv_desc(&d, 0, 0, TABLE, 16 * (pieces + 2), DRV_INDIRECT, 0);
    drv_desc_at(&d, TABLE, 0, HEADER, 16, DRV_NEXT, 1);
    for (u32 i = 1; i <= pieces; i++)
        drv_desc_at(&d, TABLE, i, DATA + 4096 * (i - 1), 4096, DRV_NEXT | DRV_WRITE, (u16)(i + 1));
    drv_desc_at(&d, TABLE, pieces + 1, STATUS, 1, DRV_WRITE, 0);
    drv_offer(&d, 0, 0);
    drv_kick(&d, 0);
    while (serve())
        ;
    assert_false(drv_broken(&d));
    assert_int_equal(drv_ram(&d, STATUS)[0], 0);
    assert_memory_equal(drv_ram(&d, DATA), file, 4096 * pieces);
}

static void nothing_is_answered_before_the_back_end(void **state)
{
    offer(IN, 0, 512);
    assert_int_equal(drv_used(&d, 0), 0);
    ring(0); /* it rings, but has done nothing */
    assert_int_equal(drv_used(&d, 0), 0);
    out()->done = out()->asked + 1; /* nor is another request's number an answer */
    ring(0);
    assert_int_equal(drv_used(&d, 0), 0);
    serve();
    assert_int_equal(drv_used(&d, 0), 1);
    ring(0); /* answered twice */
    assert_int_equal(drv_used(&d, 0), 1);
}

static void a_long_request_goes_in_pieces(void **state)
{
    u32 len = 3 * BACKEND_DATA + 1024;
    assert_int_equal(request(IN, 5, len), 0);
    assert_int_equal(served, 4);
    assert_memory_equal(drv_ram(&d, DATA), file + 5 * 512, len);
    assert_int_equal(drv_used_len(&d, 0, 0), len + 1);
    memset(drv_ram(&d, DATA), 0x77, len);
    assert_int_equal(request(OUT, 11, len), 0);
    assert_int_equal(file[11 * 512], 0x77);
    assert_int_equal(file[11 * 512 + len - 1], 0x77);
    assert_int_not_equal(file[11 * 512 + len], 0x77);
}

static void requests_stay_on_the_disk(void **state)
{
    assert_int_equal(request(IN, SECTORS, 512), 1);
    assert_int_equal(request(IN, SECTORS - 1, 1024), 1);
    assert_int_equal(request(OUT, ~0ull, 512), 1);
    assert_int_equal(request(IN, 0, 100), 1);
    assert_int_equal(request(11, 0, 512), 2);
    assert_int_equal(served, 0);
    plug_disk(SYS_DEV_READONLY);
    assert_int_equal(request(OUT, 0, 512), 1);
    assert_int_equal(request(IN, 0, 512), 0);
}

static void a_back_end_that_fails_is_an_error(void **state)
{
    offer(IN, 0, 512);
    out()->status = 5;
    out()->done = out()->asked;
    ring(0);
    assert_int_equal(drv_ram(&d, STATUS)[0], 1);
    out()->status = 0;
    assert_int_equal(request(IN, 0, 512), 0);
}

static void an_answer_for_a_former_life_is_dropped(void **state)
{
    offer(IN, 0, 512);
    drv_start(&d, 1); /* resets the device first */
    memset(drv_ram(&d, DATA), 0, 512);
    offer(IN, 1, 512);
    assert_int_equal(out()->sector, 0); /* the new request waits */
    serve();
    assert_int_equal(drv_used(&d, 0), 0);
    assert_int_equal(out()->sector, 1);
    serve();
    assert_int_equal(drv_used(&d, 0), 1);
    assert_memory_equal(drv_ram(&d, DATA), file + 512, 512);
}

static void a_request_rewritten_meanwhile_harms_only_its_guest(void **state)
{
    offer(IN, 0, 3 * BACKEND_DATA);
    serve();
    drv_desc(&d, 0, 1, DATA, 512, DRV_NEXT | DRV_WRITE, 2); /* shorter than what is done */
    serve();
    assert_true(drv_broken(&d) || drv_used(&d, 0) == 1);
    drv_start(&d, 1);
    while (serve())
        ;
    assert_int_equal(request(IN, 3, 512), 0);
}

/* A guest on another core gives each request back to the device as soon as it is answered. */
static unsigned refilled, refills;
void (*host_at_fence)(void);
static void refill(void)
{
    if (refilled++ >= refills)
        return;
    drv_offer(&d, 0, 0);
}

static void a_guest_that_refills_its_queue_gets_one_budget_a_call(void **state)
{
    offer(IN, 0, 512);
    drv_desc(&d, 0, 1, DATA, 512, DRV_NEXT | DRV_WRITE, 2);
    drv_set_u16(&d, HEADER, 77); /* a type that needs no answer of Linux's */
    out()->done = out()->asked;
    refilled = 0;
    refills = 100000;
    host_at_fence = refill;
    bool more = ring(0);
    unsigned first = refilled;
    assert_true(more); /* it is called again, with interrupts on in between */
    assert_in_range(first, 1, 1000);
    assert_true(ring(0));
    assert_in_range(refilled - first, 1, 1000);
    refills = 0;
    while (ring(0))
        ;
    host_at_fence = NULL;
    assert_false(drv_broken(&d));
    assert_int_equal(drv_ram(&d, STATUS)[0], 2);
}

/* --- the network ----------------------------------------------------------------------------------------- */

enum { RX, TX, FRAME = 0x2000, BUFFER = 0x4000 };
static struct drv card[2];
static unsigned net;

static int cards(void **state)
{
    fake_init();
    while (n_entries)
        free(entries[--n_entries].memory);
    for (u8 i = 0; i < 2; i++) {
        struct sys_device conf = { .type = SYS_DEV_NET, .slot = 1, .net = (u8)net, .mac = { 2, 0, 0, 0, 0, i + 1 } };
        card[i] = plugged(&fake_vms[i], &conf);
        drv_start(&card[i], 2);
        drv_desc(&card[i], RX, 0, BUFFER, 1600, DRV_WRITE, 0);
        drv_offer(&card[i], RX, 0);
        drv_kick(&card[i], RX);
    }
    net++;
    return 0;
}

static struct backend_net *rings(void) { return (void *)entries[0].memory; }

static void send(u8 to, u32 len)
{
    u8 *f = drv_ram(&card[0], FRAME);
    memset(f, 0, 12);
    for (u32 i = 0; i < len; i++)
        f[12 + i] = (u8)(i * 3);
    memset(f + 12, to == 0xff ? 0xff : 0, 6);
    f[12] |= to == 0xff ? 1 : 2;
    f[17] = to;
    drv_desc(&card[0], TX, 0, FRAME, 12 + len, 0, 0);
    drv_offer(&card[0], TX, 0);
    drv_kick(&card[0], TX);
}

static void one_way_out_a_switch(void **state) { assert_int_equal(n_entries, 1); }

static void what_is_for_no_port_goes_out(void **state)
{
    send(2, 60);
    assert_int_equal(rings()->to_linux.head, 0);
    send(77, 100);
    assert_int_equal(rings()->to_linux.head, 1);
    assert_int_equal(rings()->to_linux.frame[0].length, 100);
    assert_memory_equal(rings()->to_linux.frame[0].byte, drv_ram(&card[0], FRAME + 12), 100);
    send(0xff, 80); /* to all: the other guest, too */
    assert_int_equal(rings()->to_linux.head, 2);
    assert_int_equal(entries[0].rings, 2);
}

static void a_full_ring_loses_the_frame(void **state)
{
    for (unsigned i = 0; i < BACKEND_FRAMES + 5; i++)
        send(77, 60);
    assert_int_equal(rings()->to_linux.head, BACKEND_FRAMES);
    rings()->to_linux.tail = 3;
    send(77, 61);
    assert_int_equal(rings()->to_linux.head, BACKEND_FRAMES + 1);
    assert_int_equal(rings()->to_linux.frame[0].length, 61);
}

static void put(u32 i, u8 to, u32 length)
{
    struct backend_frame *f = &rings()->to_guests.frame[i % BACKEND_FRAMES];
    memset(f->byte, 0x5a, sizeof(f->byte));
    memset(f->byte, to == 0xff ? 0xff : 0, 6);
    f->byte[0] |= to == 0xff ? 1 : 2;
    f->byte[5] = to;
    f->length = length;
}

static void what_comes_in_reaches_its_guest(void **state)
{
    put(0, 2, 100);
    put(1, 9, 100); /* for nobody: it does not come back to Linux */
    rings()->to_guests.head = 2;
    ring(0);
    assert_int_equal(rings()->to_guests.tail, 2);
    assert_int_equal(drv_used(&card[0], RX), 0);
    assert_int_equal(drv_used(&card[1], RX), 1);
    assert_int_equal(drv_used_len(&card[1], RX, 0), 112);
    assert_memory_equal(drv_ram(&card[1], BUFFER + 12), rings()->to_guests.frame[0].byte, 100);
    assert_int_equal(rings()->to_linux.head, 0);
}

static void lengths_and_counts_of_linux_are_not_believed(void **state)
{
    put(0, 2, 0xffffffff);
    put(1, 2, 13);
    put(2, 2, 1523);
    rings()->to_guests.head = 0x80000000;
    ring(0);
    assert_int_equal(rings()->to_guests.tail, BACKEND_FRAMES);
    assert_int_equal(drv_used(&card[1], RX), 0);
    rings()->to_linux.tail = 1000; /* ahead of what was sent */
    send(77, 60);
    assert_in_range(rings()->to_linux.head, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(announces_itself, disk),
        cmocka_unit_test_setup(reads_and_writes_through_the_back_end, disk),
        cmocka_unit_test_setup(as_many_pieces_as_it_says_fit_into_a_table, disk),
        cmocka_unit_test_setup(nothing_is_answered_before_the_back_end, disk),
        cmocka_unit_test_setup(a_disk_has_a_size_that_can_be, disk),
        cmocka_unit_test_setup(a_long_request_goes_in_pieces, disk),
        cmocka_unit_test_setup(requests_stay_on_the_disk, disk),
        cmocka_unit_test_setup(a_back_end_that_fails_is_an_error, disk),
        cmocka_unit_test_setup(an_answer_for_a_former_life_is_dropped, disk),
        cmocka_unit_test_setup(a_request_rewritten_meanwhile_harms_only_its_guest, disk),
        cmocka_unit_test_setup(a_guest_that_refills_its_queue_gets_one_budget_a_call, disk),
        cmocka_unit_test_setup(one_way_out_a_switch, cards),
        cmocka_unit_test_setup(what_is_for_no_port_goes_out, cards),
        cmocka_unit_test_setup(a_full_ring_loses_the_frame, cards),
        cmocka_unit_test_setup(what_comes_in_reaches_its_guest, cards),
        cmocka_unit_test_setup(lengths_and_counts_of_linux_are_not_believed, cards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
