/* SPDX-License-Identifier: MIT */
/*
 * Random register writes and ring contents over every virtio device type, two VMs
 * on one switch.  A device that says "again" is not always repeated, and memory
 * changes while a device works, as another vCPU would do it.
 */
#include <stdlib.h>
#include "fake_driver.h"

static u8 disk[256 * 512];
static const u8 *script, *script_end; /* what changes meanwhile */
static struct vm *const vm = &fake_vms[0];
static struct drv d[5];
static unsigned n_runs;

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* Descriptors that are usually nearly right: lengths and addresses from a few interesting ones. */
static void poke_desc(struct drv *dev, const u8 *p)
{
    static const u64 addrs[] = { 0x2000, 0x2100, 0x8000, 0x20000, FAKE_RAM - 16, FAKE_RAM, 4 * GIB, -16ull };
    static const u32 lens[] = { 0, 1, 12, 16, 72, 512, 1526, 32, 0x11000, 0x60000, 0xffffffff, 17, 13, 64, 1024, 528 };
    drv_desc(dev, p[0] & 1, p[0] >> 1 & 7, addrs[p[1] & 7], lens[p[1] >> 4], p[2] & 7, p[2] >> 4);
    if (p[0] & 0x80) /* the same inside an indirect table */
        drv_desc_at(dev, 0x8000, p[0] >> 1 & 7, addrs[p[1] & 7], lens[p[1] >> 4], p[2] & 7, p[2] >> 4);
}

static void meanwhile(void)
{
    if (script_end - script < 4)
        return;
    poke_desc(&d[script[0] % 5], script + 1);
    script += 4;
}

static void step(const u8 *p)
{
    struct drv *dev = &d[(p[0] >> 4) % 5];
    u32 value = p[2] | p[3] << 8;
    switch (p[0] & 15) {
    case 0: drv_start(dev, 2); break;
    case 1 ... 3: poke_desc(dev, p + 1); break;
    case 4 ... 5:
        drv_offer(dev, p[1] & 1, p[2] & 15);
        drv_kick(dev, p[1] & 1);
        break;
    case 6: drv_set(dev, p[1] & ~3u, value); break;
    case 7: drv_set(dev, p[1], value << 16); break;
    case 8:
        fake_store(dev->vm, dev->base + (p[1] | p[2] << 8) % 0xff0, 1u << (p[3] & 3), p[3]);
        fake_load(dev->vm, dev->base + (p[1] | p[2] << 8) % 0xff0, 1u << (p[3] & 3));
        break;
    case 9: virtio_console_input(vm, p[1]); break;
    case 10: memcpy(drv_ram(dev, 0x2000 + p[1] % 0x80), p + 2, 2); break;
    case 11:
        memset(drv_ram(dev, 0x2000), 0, 32); /* a block request header */
        drv_ram(dev, 0x2000)[0] = p[1] & 15;
        drv_ram(dev, 0x2008)[0] = p[2];
        break;
    case 12: /* a frame for somebody */
        memset(drv_ram(dev, 0x200c), p[1] & 1 ? 0xff : 0, 6);
        drv_ram(dev, 0x2011)[0] = p[2];
        break;
    case 13: memcpy(drv_ram(dev, DRV_AVAIL(p[1] & 1)), p + 2, 2); break;
    case 14: fake_repeat_limit = p[1] & 3; break;
    default:
        if (p[1] == 0)
            fake_reset_devices(dev->vm);
    }
}

static void create(void)
{
    static const u8 types[] = { SYS_DEV_CONSOLE, SYS_DEV_BLOCK, SYS_DEV_NET, SYS_DEV_RNG };
    fake_payload(disk, sizeof(disk));
    for (unsigned i = 0; i < 5; i++) {
        struct sys_device conf = { .type = i == 4 ? SYS_DEV_NET : types[i], .slot = i, .mac = { 0, 0, 0, 0, 0, i } };
        if (virtio_create(&fake_vms[i / 4], &conf, NULL))
            abort();
        d[i] = drv_at(&fake_vms[i / 4], i);
    }
}

/* Devices are made once, for ports are never unplugged; each input begins with a reset and clean memory. */
int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    if (!n_runs++) {
        fake_init();
        create();
    }
    for (int i = 0; i < 2; i++) {
        fake_reset_devices(&fake_vms[i]);
        memset(fake_vms[i].mem.range[0].host, 0, 0x20000);
    }
    script = data + size / 2;
    script_end = data + size;
    fake_meanwhile = meanwhile;
    fake_repeat_limit = 1;
    for (unsigned i = 0; i < 5; i++)
        drv_start(&d[i], 2);
    for (; size >= 4; data += 4, size -= 4)
        step(data);
    for (unsigned i = 0; i < 4; i++)
        if (vm->range[i].dev->lock.next != vm->range[i].dev->lock.owner)
            abort();
    return 0;
}
