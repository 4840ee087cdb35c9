/* SPDX-License-Identifier: MIT */
/*
 * A system image is believed only when all of it is right: one wrong image a rule,
 * each refused for the reason that the rule gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sample_system.h"
#include <errors.h>

static struct sample s;

static int setup(void **state)
{
    sample_make(&s);
    return 0;
}

static bool contains(const char *text, const char *part)
{
    for (; *text; text++)
        if (!strncmp(text, part, strlen(part)))
            return true;
    return false;
}

static void refused(int err, const char *because)
{
    const char *why = NULL;
    int got = system_table_check(&s, sizeof(s), &why);
    if (!why || !contains(why, because))
        fail_msg("wanted \"%s\", got %s", because, why ? why : "no complaint");
    assert_int_equal(got, err);
    assert_int_equal(system_table_check(&s, sizeof(s), NULL), err);
}

static void a_correct_image_is_accepted(void **state)
{
    const char *why = "";
    assert_int_equal(system_table_check(&s, sizeof(s), &why), 0);
    assert_null(why);
    u64 size;
    assert_ptr_equal(sys_payload(&s.h, 1, &size), s.data[1]);
    assert_int_equal(size, 4000);
    assert_null(sys_payload(&s.h, SYS_NONE, &size));
    assert_string_equal(sys_string(&s.h, 14), "quiet");
    assert_string_equal(sys_string(&s.h, SYS_NONE), "");
}

static void every_flipped_bit_of_the_table_is_noticed(void **state)
{
    u8 *p = (u8 *)&s;
    for (u32 bit = 0; bit < s.h.table_size * 8; bit += 3) {
        p[bit / 8] ^= (u8)(1 << bit % 8);
        assert_int_not_equal(system_table_check(&s, sizeof(s), NULL), 0);
        p[bit / 8] ^= (u8)(1 << bit % 8);
    }
}

static void damaged_images(void **state)
{
#define DAMAGED(change, because)                                                                                       \
    do {                                                                                                               \
        sample_make(&s);                                                                                               \
        change;                                                                                                        \
        refused(-EBADMSG, because);                                                                                    \
    } while (0)
    DAMAGED(s.h.magic++, "magic");
    DAMAGED(s.h.version++, "another version");
    DAMAGED(s.h.header_size += 8, "another version");
    DAMAGED(s.h.image_size = sizeof(s) + 1, "shorter than it says");
    DAMAGED(s.h.table_size = 95, "table's size");
    DAMAGED(s.h.table_size = (u32)sizeof(s) + 1, "table's size");
    DAMAGED(s.h.crc32 ^= 1, "checksum");
    DAMAGED(s.strings[3] ^= 1, "checksum");
    sample_make(&s);
    const char *why;
    assert_int_equal(system_table_check(&s, 95, &why), -EBADMSG);
    assert_int_equal(system_table_check((u8 *)&s + 4, sizeof(s) - 4, &why), -EBADMSG);
    assert_true(contains(why, "aligned"));
}

#define WRONG(change, because)                                                                                         \
    do {                                                                                                               \
        sample_make(&s);                                                                                               \
        change;                                                                                                        \
        sample_sign(&s);                                                                                               \
        refused(-EINVAL, because);                                                                                     \
    } while (0)

static void counts_and_places(void **state)
{
    WRONG(s.h.n_domains = 0, "1 to 16 domains");
    WRONG(s.h.n_domains = 17, "1 to 16 domains");
    WRONG(s.h.n_cores = 0, "1 to 64 cores");
    WRONG(s.h.n_cores = 65, "1 to 64 cores");
    WRONG(s.h.n_frames = 3, "more frames than cores");
    WRONG(memset(s.h.name, 'x', sizeof(s.h.name)), "system's name");
    WRONG(s.h.name[1] = 27, "system's name"); /* it is shown on terminals */
    WRONG(s.h.n_windows = 33, "more windows");
    WRONG(s.h.n_channels = 17, "too many channels");
    WRONG(s.h.n_payloads = 257, "too many channels or payloads");
    WRONG(s.h.off_domains = s.h.table_size - 8, "outside");
    WRONG(s.h.off_frames = 0xfffffff8, "outside");
    WRONG(s.h.off_windows += 4, "not aligned");
    WRONG(s.h.off_channels = 8, "arrays of the table overlap");
    WRONG(s.h.off_payloads = s.h.off_channels, "arrays of the table overlap");
    WRONG(s.h.strings_size = 0xffffffff, "outside");
    WRONG(s.strings[31] = 'x', "no end");
}

static void payloads(void **state)
{
    WRONG(s.payload[0].offset++, "page aligned");
    WRONG(s.payload[0].offset = 0, "overlaps the table");
    WRONG(s.payload[2].size = 4097, "outside the image");
    WRONG(s.payload[2].size = 0, "empty");
    WRONG(s.payload[2].offset = -4096ull, "outside the image");
    WRONG(s.payload[2].size = ~0ull, "outside the image");
    WRONG(s.payload[0].size = 4097, "two payloads overlap");
}

static void domains(void **state)
{
    WRONG(s.domain[1].name[0] = 0, "name is empty");
    WRONG(memset(s.domain[1].name, 'a', SYS_NAME), "too long");
    WRONG(s.domain[1].name[1] = '\x1b', "character");
    WRONG(memcpy(s.domain[1].name, "linux", 6), "same name");
    WRONG(s.domain[1].flags = SYS_FOCUS, "focus");
    WRONG(s.domain[1].kind = 0, "kind is unknown");
    WRONG(s.domain[1].kind = SYS_KIND_NATIVE + 1, "kind is unknown");
    WRONG(s.domain[1].n_vcpus = 0, "1 to 32 cores");
    WRONG(s.domain[1].n_vcpus = 33, "1 to 32 cores");
    WRONG(s.domain[1].n_vcpus = 9, "1 to 8 vCPUs");
    WRONG(vm_record(&s.domain[1])->n_devices = 9, "at most 8 devices");
    WRONG(s.domain[1].flags = 1u << 7, "unknown flags");
    WRONG(vm_record(&s.domain[1])->kvm = SYS_KVM_EOI, "KVM features");
    WRONG((s.domain[1].flags |= SYS_KVM_PV, vm_record(&s.domain[1])->kvm = SYS_KVM_ALL | 1u << 1), "KVM features");
    WRONG(s.domain[1].prio = 32, "priority");
    WRONG(vm_record(&s.domain[1])->n_modules = 33, "modules");
    WRONG(s.domain[0].core[1] = 2, "core that the system does not have");
    WRONG(s.domain[0].cmdline = 32, "command line");
    WRONG(vm_record(&s.domain[0])->boot = 0, "boot protocol");
    WRONG(vm_record(&s.domain[0])->boot = 6, "boot protocol");
    WRONG(s.domain[0].memory = 0, "2 MiB");
    WRONG(s.domain[0].memory += 4096, "2 MiB");
    WRONG(s.domain[0].memory = 1ull << 41, "1 TiB");
    WRONG(vm_record(&s.domain[0])->kernel = SYS_NONE, "no kernel");
    WRONG(vm_record(&s.domain[0])->kernel = 3, "no kernel");
    WRONG(vm_record(&s.domain[0])->initrd = 3, "payload that does not exist");
    WRONG(vm_record(&s.domain[0])->acpi = 3, "payload that does not exist");
    WRONG(vm_record(&s.domain[1])->entry = 64 * MIB - 3999, "does not fit");
    WRONG(vm_record(&s.domain[1])->entry = ~0ull, "does not fit");
}

/* Sizes of payloads against memory need payloads that are larger than the sample's: told so, never read. */
static void payload_sizes(void **state)
{
    static struct {
        struct sample s;
        u8 room[4 * MIB];
    } __aligned(4096) big;
    const char *why;
    for (unsigned i = 0; i < 3; i++) {
        sample_make(&big.s);
        big.s.h.image_size = sizeof(big);
        big.s.h.n_domains = 1;
        big.s.h.n_frames = big.s.h.n_windows = big.s.h.n_channels = 0;
        big.s.domain[0].memory = 2 * MIB;
        vm_record(&big.s.domain[0])->kernel = i == 0 ? 2 : 0;
        vm_record(&big.s.domain[0])->initrd = i == 1 ? 2 : 1;
        vm_record(&big.s.domain[0])->acpi = i == 2 ? 2 : 1;
        big.s.payload[2].size = i == 2 ? 65537 : 2 * MIB + 1;
        sample_sign(&big.s);
        assert_int_equal(system_table_check(&big, sizeof(big), &why), -EINVAL);
        static const char *const because[] = { "exceeds the domain's memory", "initrd exceeds", "ACPI tables exceed" };
        assert_true(contains(why, because[i]));
    }
}

static void devices(void **state)
{
    WRONG(vm_record(&s.domain[0])->device[0].type = 0, "type is unknown");
    WRONG(vm_record(&s.domain[0])->device[0].type = 7, "type is unknown");
    WRONG(vm_record(&s.domain[0])->device[1].flags = 4, "unknown flags");
    WRONG(vm_record(&s.domain[0])->device[0].flags = SYS_DEV_BACKEND, "unknown flags");
    WRONG(vm_record(&s.domain[0])->device[0].slot = 4, "slot is out of range");
    WRONG(vm_record(&s.domain[0])->device[2].slot = 8, "slot is out of range");
    WRONG(vm_record(&s.domain[0])->device[1].payload = SYS_NONE, "no payload");
    WRONG(vm_record(&s.domain[0])->device[1].payload = 3, "no payload");
    WRONG(vm_record(&s.domain[0])->device[2].mac[0] = 3, "multicast");
    WRONG(vm_record(&s.domain[0])->device[2].slot = 0, "share a slot");
    WRONG((vm_record(&s.domain[0])->device[1].type = SYS_DEV_UART), "share a slot");
    WRONG((vm_record(&s.domain[0])->device[0].type = vm_record(&s.domain[0])->device[1].type = SYS_DEV_PC), "two sets");
}

static void frames_and_windows(void **state)
{
    WRONG(s.frame[0].core = 2, "frame is for a core");
    WRONG(s.frame[0].length_us = 0, "frame is empty");
    WRONG(s.frame[0].length_us = 60000001, "longer than a minute");
    WRONG((s.frame[0].length_us = 99, s.frame[0].n_windows = s.h.n_windows = 1, s.window[0].start_us = 0,
           s.window[0].length_us = 50),
          "frame is empty"); /* a core that only changes windows */
    WRONG(s.window[0].length_us = 9, "window is empty");
    WRONG(s.frame[0].first_window = 1, "not in the table");
    WRONG(s.frame[0].n_windows = 4, "not in the table");
    WRONG(s.frame[0].n_windows = 0, "not in the table");
    WRONG(s.frame[0].n_windows = 2, "belongs to no frame");
    WRONG(s.window[0].core = 0, "another core than its frame");
    WRONG(s.window[0].length_us = 0, "window is empty");
    WRONG(s.window[2].length_us = 4001, "beyond its frame");
    WRONG(s.window[2].start_us = 0xfffffff0, "beyond its frame");
    WRONG(s.window[0].domain = 3, "domain that does not exist");
    WRONG((s.window[0].domain = 1, s.domain[1].core[0] = 0), "no vCPU on its core");
    WRONG(s.window[1].start_us = 1999, "overlap or are not sorted");
    WRONG((s.window[2].start_us = 0, s.window[2].length_us = 10), "overlap or are not sorted");
}

/* The control console and restarts run in the shared time of core 0. */
static void core_0_keeps_time_for_the_kernel(void **state)
{
    s.frame[0].core = 0;
    s.domain[1].core[0] = 0;
    for (unsigned i = 0; i < 3; i++)
        s.window[i].core = 0;
    s.window[1].domain = 0;
    s.window[2].start_us = 5000;
    s.window[2].length_us = 5000;
    sample_sign(&s);
    refused(-EINVAL, "no time left");
    s.window[2].length_us--;
    sample_sign(&s);
    assert_int_equal(system_table_check(&s, sizeof(s), NULL), 0);
}

/* Images with more of something than the sample has are built at the end of the table. */
static void two_frames_for_a_core(void **state)
{
    struct sys_frame *f = (struct sys_frame *)s.pad3;
    f[0] = f[1] = s.frame[0];
    f[1].first_window = 3;
    s.h.off_frames = offsetof(struct sample, pad3);
    s.h.n_frames = 2;
    s.h.table_size += 24;
    sample_sign(&s);
    refused(-EINVAL, "two frames");
}

static void more_windowed_domains_than_groups(void **state)
{
    struct sys_domain *d = (struct sys_domain *)s.pad3;
    struct sys_window *w = (struct sys_window *)(d + 8);
    for (unsigned i = 0; i < 8; i++) {
        d[i] = s.domain[1];
        d[i].name[0] = (char)('a' + i);
        w[i] = (struct sys_window){ .core = 1, .domain = (u16)i, .start_us = i * 10, .length_us = 10 };
    }
    s.h.off_domains = offsetof(struct sample, pad3);
    s.h.off_windows = (u32)((u8 *)w - (u8 *)&s);
    s.h.n_domains = s.h.n_windows = 8;
    s.h.table_size = s.h.off_windows + 8 * sizeof(*w);
    s.h.n_channels = 0;
    s.frame[0].n_windows = 8;
    sample_sign(&s);
    refused(-EINVAL, "more than 7 domains");
    s.frame[0].n_windows = s.h.n_windows = 7;
    sample_sign(&s);
    assert_int_equal(system_table_check(&s, sizeof(s), NULL), 0);
}

static void channels(void **state)
{
    WRONG(s.channel[0].name[0] = 0, "channel's name");
    WRONG(s.channel[0].domain_b = 0, "does not join two");
    WRONG(s.channel[0].domain_b = 3, "does not join two");
    WRONG(s.channel[0].domain_a = 2, "neither a VM nor a process");
    sample_make(&s);
    s.domain[2].kind = SYS_KIND_PROCESS;
    s.channel[0].domain_a = 2;
    sample_sign(&s);
    assert_int_equal(system_table_check(&s, sizeof(s), NULL), 0);
    WRONG((s.domain[2].kind = SYS_KIND_PROCESS, s.channel[0].domain_a = s.channel[0].domain_b = 2),
          "does not join two");
    WRONG(s.channel[0].flags = 0, "nobody writes");
    WRONG(s.channel[0].flags = 4, "unknown flags");
    WRONG(s.channel[0].size = 0, "4 KiB up to 1 MiB");
    WRONG(s.channel[0].size = 4097, "4 KiB up to 1 MiB");
    WRONG(s.channel[0].size = 2 << 20, "4 KiB up to 1 MiB");
    sample_make(&s);
    struct sys_channel *c = (struct sys_channel *)s.pad3;
    c[0] = c[1] = s.channel[0];
    s.h.off_channels = offsetof(struct sample, pad3);
    s.h.n_channels = 2;
    s.h.table_size += 64;
    sample_sign(&s);
    refused(-EINVAL, "two channels");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(a_correct_image_is_accepted),
        T(every_flipped_bit_of_the_table_is_noticed),
        T(damaged_images),
        T(counts_and_places),
        T(payloads),
        T(domains),
        T(payload_sizes),
        T(devices),
        T(frames_and_windows),
        T(two_frames_for_a_core),
        T(more_windowed_domains_than_groups),
        T(channels),
        T(core_0_keeps_time_for_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
