/* SPDX-License-Identifier: MIT */
/*
 * sample_system.h - a small valid system image, for tests that damage it: two VMs,
 * a native task, a frame with three windows, a tunnel, three payloads.
 */
#ifndef AMALGAM_TESTS_SAMPLE_SYSTEM_H
#define AMALGAM_TESTS_SAMPLE_SYSTEM_H

#include <string.h>

#include "../../kernel/core/crc32.h"
#include "records.h"

struct sample {
    struct sys_header h;
    struct sys_domain domain[3];
    struct sys_frame frame[1];
    u8 pad1[4];
    struct sys_window window[3];
    u8 pad2[4];
    struct sys_channel channel[1];
    struct sys_payload payload[3];
    char strings[32];
    u8 pad3[4096 - 96 - 3 * sizeof(struct sys_domain) - 12 - 4 - 36 - 4 - 32 - 48 - 32];
    u8 data[3][4096];
} __packed __aligned(4096);

_Static_assert(sizeof(struct sample) == 4 * 4096, "payloads are page aligned");

static inline void sample_sign(struct sample *s)
{
    s->h.crc32 = 0;
    u32 size = s->h.table_size <= sizeof(*s) ? s->h.table_size : sizeof(*s);
    s->h.crc32 = ~crc32_update(~0u, (const u8 *)s, size);
}

static inline void sample_vm(struct sys_domain *d, const char *name, u8 core)
{
    memcpy(d->name, name, strlen(name));
    d->kind = SYS_KIND_VM;
    vm_record(d)->boot = SYS_BOOT_LINUX64;
    d->n_vcpus = 1;
    d->core[0] = core;
    d->memory = 64 * MIB;
    d->cmdline = SYS_NONE;
    vm_record(d)->kernel = 0;
    vm_record(d)->initrd = vm_record(d)->acpi = SYS_NONE;
    d->prio = 8;
}

static inline void sample_make(struct sample *s)
{
    memset(s, 0, sizeof(*s));
    s->h = (struct sys_header){
        .magic = SYS_MAGIC,
        .version = SYS_VERSION,
        .header_size = sizeof(struct sys_header),
        .image_size = sizeof(*s),
        .table_size = offsetof(struct sample, pad3),
        .name = "sample",
        .n_domains = 3,
        .n_frames = 1,
        .n_windows = 3,
        .n_channels = 1,
        .n_payloads = 3,
        .n_cores = 2,
        .off_domains = offsetof(struct sample, domain),
        .off_frames = offsetof(struct sample, frame),
        .off_windows = offsetof(struct sample, window),
        .off_channels = offsetof(struct sample, channel),
        .off_payloads = offsetof(struct sample, payload),
        .off_strings = offsetof(struct sample, strings),
        .strings_size = sizeof(s->strings),
    };
    memcpy(s->strings, "console=ttyS0\0quiet", 20);
    sample_vm(&s->domain[0], "linux", 0);
    s->domain[0].n_vcpus = 2;
    s->domain[0].core[1] = 1;
    vm_record(&s->domain[0])->initrd = 1;
    vm_record(&s->domain[0])->acpi = 2;
    s->domain[0].cmdline = 0;
    s->domain[0].flags = SYS_AUTOSTART | SYS_FOCUS;
    vm_record(&s->domain[0])->n_devices = 3;
    vm_record(&s->domain[0])->device[0] = (struct sys_device){ .type = SYS_DEV_UART };
    vm_record(&s->domain[0])->device[1] = (struct sys_device){ .type = SYS_DEV_BLOCK, .payload = 1 };
    vm_record(&s->domain[0])->device[2] = (struct sys_device){ .type = SYS_DEV_NET, .slot = 1, .mac = { 2 } };
    sample_vm(&s->domain[1], "rt", 1);
    vm_record(&s->domain[1])->boot = SYS_BOOT_RAW;
    vm_record(&s->domain[1])->entry = 0x100000;
    sample_vm(&s->domain[2], "bench", 1);
    s->domain[2].kind = SYS_KIND_TASK;
    vm_record(&s->domain[2])->kernel = SYS_NONE;
    s->frame[0] = (struct sys_frame){ .core = 1, .n_windows = 3, .length_us = 10000 };
    s->window[0] = (struct sys_window){ .core = 1, .domain = 1, .start_us = 0, .length_us = 2000 };
    s->window[1] = (struct sys_window){ .core = 1, .domain = SYS_NONE, .start_us = 2000, .length_us = 3000 };
    s->window[2] = (struct sys_window){ .core = 1, .domain = 0, .start_us = 6000, .length_us = 4000 };
    memcpy(s->channel[0].name, "tunnel", 6);
    s->channel[0].domain_b = 1;
    s->channel[0].flags = SYS_CHANNEL_A_WRITES;
    s->channel[0].size = 8192;
    for (unsigned i = 0; i < 3; i++)
        s->payload[i] = (struct sys_payload){ .offset = 4096 * (i + 1), .size = 4000 };
    sample_sign(s);
}

#endif
