/* SPDX-License-Identifier: MIT */
/*
 * Random port and MMIO accesses, line changes and passing time over all PC devices
 * of one VM.  Beside memory errors it finds: host timers that storm, a timer left
 * after reset, an acknowledged vector out of nowhere.
 */
#include <vm/system_part.h>
#include <stdlib.h>
#include "fake_vm.h"

static const u16 ports[] = {
    0x20,  0x21,  0xa0,  0xa1,  0x4d0, 0x4d1, 0x40,  0x41,  0x42,  0x43,  0x61,
    0x70,  0x71,  0x600, 0x602, 0x604, 0x608, 0x60b, 0xcf8, 0xcf9, 0xcfc, 0x64,
    0x3f8, 0x3f9, 0x3fa, 0x3fb, 0x3fc, 0x3fd, 0x3fe, 0x3ff, 0x2f8, 0x2f9, 0x2fc,
};

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void step(struct vm *vm, const u8 *p)
{
    u32 value = p[2] | p[3] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
    u16 port = ports[p[1] % ARRAY_SIZE(ports)];
    unsigned width = 1u << (p[0] >> 6), fired = fake_fired;
    switch (p[0] & 15) {
    case 0 ... 3: fake_out(vm, port, 1, p[2]); break;
    case 4: fake_out(vm, port, width, value); break;
    case 5: fake_in(vm, port, 1); break;
    case 6: fake_in(vm, port, width); break;
    case 7 ... 8:
        fake_store(vm, 0xfec00000, 4, p[1]);
        fake_store(vm, 0xfec00010, 4, value);
        break;
    case 9:
        fake_store(vm, 0xfec00000 + p[1], width, value);
        fake_load(vm, 0xfec00000 + p[2], width);
        break;
    case 10: uart_input(vm, p[1]); break;
    case 11: vm_irq_line(vm, p[1] & 63, p[2] & 1); break;
    case 12:
        ioapic_eoi(vm, p[1]);
        if (i8259_ack(vm) > 255)
            abort();
        break;
    case 14:
        fake_advance((u64)(p[1] | p[2] << 8) * 300); /* at most 20 ms */
        if (fake_fired - fired > 2 * 20000000 / 100000)
            abort();
        break;
    default:
        host_now += (u64)value * 1000000; /* weeks in which timers were due but could not run */
        fake_advance(1000);
        break;
    }
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct vm *vm = &fake_vms[0];
    struct sys_device com1 = { .type = SYS_DEV_UART }, com2 = { .type = SYS_DEV_UART, .slot = 1 };
    fake_init();
    fake_wall_clock = 1767225600ull * 1000000000;
    if (ioapic_create(vm) || pc_devices_create(vm) || uart_create(vm, &com1) || uart_create(vm, &com2))
        abort();
    for (; size >= 4; data += 4, size -= 4)
        step(vm, data);
    fake_advance(2000000); /* a serial port may still owe its last line */
    fake_reset_devices(vm);
    if (fake_timers())
        abort();
    return 0;
}
