/* SPDX-License-Identifier: MIT */
/*
 * hal/device.h - devices of the board that a process may drive (kernel/device/): registers, bus mastering, interrupt
 * lines.
 *
 * The board lists the devices whose class it knows. A device in the list does nothing until hal_device_master(): it
 * reaches no memory, and its line is connected to nothing. A board without a switch for that (virtio by registers in
 * memory) has reset it; then the class's reset is what ends its accesses.
 */
#ifndef AMALGAM_HAL_DEVICE_H
#define AMALGAM_HAL_DEVICE_H

#include <types.h>

#define HAL_DEVICES     8 /* at most; the board says how many more it has */
#define HAL_DEVICE_NAME 16
#define HAL_LINES       4 /* lines that can be connected at once */
#define HAL_NO_LINE     0xffu

/* By what a board finds the devices of a class on its bus. Each class (kernel/device/class.h) has one; the linker
 * gathers them. */
struct hal_device_kind {
    char name[HAL_DEVICE_NAME - sizeof("-9") + 1]; /* of the class */
    u32 pci;                                       /* device * 65536 + vendor; 0: there is none on that bus */
    u32 virtio;                                    /* device ID; 0: it is no virtio device */
};
extern const struct hal_device_kind *const __start_device_kinds[], *const __stop_device_kinds[];
#define HAL_DEVICE_KIND(id, kind)                                                                                      \
    static const struct hal_device_kind *const device_kind_##id __attribute__((used, section("device_kinds"))) = kind

struct hal_device {
    char name[HAL_DEVICE_NAME]; /* CLASS-N: the class's N-th one in the board's order, from 0 on */
    u8 line;                    /* number of its interrupt line; HAL_NO_LINE: the board does not know it */
    u16 registers;              /* where they are; the board's own */
    u32 place;                  /* on its bus; the board's own */
    const struct hal_device_kind *kind;
};

/* Return the number of devices, and the first one in *list. Boot, after the board's INIT_CALL. */
unsigned hal_devices(const struct hal_device **list);
/* Read or write `width` (1, 2 or 4) bytes of the device's registers at `at`. Any context. */
u32 hal_device_read(const struct hal_device *d, u32 at, u32 width);
void hal_device_write(const struct hal_device *d, u32 at, u32 width, u32 value);
/* Let the device reach memory, or no longer. When it returns no access of the device follows, where the board has such
 * a switch. Any context. */
void hal_device_master(const struct hal_device *d, bool on);
/*
 * Connect a line, level-triggered and masked, to core `cpu`, which calls device_interrupt() (hal/upcalls.h) with `n`,
 * below HAL_LINES, for each interrupt. Returns 0 or -ENODEV: no interrupt controller has the line. Boot.
 */
int hal_line_connect(unsigned line, unsigned n, unsigned cpu);
/* Mask line `n`, or let its interrupts come. Any context. */
void hal_line_mask(unsigned n, bool masked);

#endif
