/* SPDX-License-Identifier: MIT */
/*
 * pc_devices.h - the old parts of every PC, in one record for each VM: interrupt controller pair, interval timer,
 * clock, power registers. They are together because they are connected: the timer drives input 0 of the pair, and the
 * timer runs only while an interrupt controller has its input unmasked.
 *
 * A device with several port ranges has one vdev for all: its registers are numbered through, in the order in which the
 * ranges are claimed.
 */
#ifndef AMALGAM_VM_DEVICES_PC_DEVICES_H
#define AMALGAM_VM_DEVICES_PC_DEVICES_H

#include <core/timer.h>
#include <vm/devices.h>

struct i8259_chip {
    u8 irr, isr, imr;
    u8 base; /* ICW2: vector of input 0 */
    u8 icw4;
    u8 expected;     /* bit n: ICWn is still to come */
    u8 first;        /* the most urgent input */
    u8 special_mask; /* all ones or none */
    bool read_isr, poll, rotate_aeoi;
    u8 line, elcr; /* not changed by an initialization */
    u8 cascade;    /* input, as a bit, that the other chip drives */
};

struct i8259 {
    struct vdev dev;
    struct i8259_chip chip[2]; /* master, slave */
    bool intr;                 /* the output */
};

struct pit_channel {
    u64 since;  /* running: PIT time when it began to count; else: counts until it stopped */
    u32 count;  /* 1..65536 */
    u8 control; /* as in the status byte, without the output bit */
    u8 mode;    /* mode from `control`: 0..5 */
    u8 access;  /* access from `control`: 1 low byte, 2 high byte, 3 both */
    bool gate, running, write_high, read_high;
    u8 low;     /* low byte of a count whose high byte is awaited */
    u8 status;  /* latched; 0: none */
    u8 latched; /* bytes of `latch` still to be read */
    u16 latch;
};

struct pit {
    struct vdev dev;
    struct timer timer;
    struct spinlock timer_lock; /* held while the timer is armed, which two cores must not do at once; innermost lock */
    u64 next;                   /* PIT time of channel 0's first rising edge to be signalled, or PIT_NEVER */
    u64 earliest;               /* PIT time before which no edge is signalled */
    bool dormant;               /* both inputs are masked: no host timer is armed */
    u8 port61_bits;
    struct pit_channel ch[3];
};

struct rtc {
    struct vdev dev;
    struct timer timer;
    u64 offset; /* from the host's wall clock to the guest's, in periods of the crystal */
    u64 seen;   /* guest's clock up to which events have been processed */
    u8 index;
    u8 reg[128];
};

/* The registers as a guest reads them. */
struct pm_registers {
    u16 status, enable; /* PM1a event block */
    u32 control, timer;
    u32 pci_address, pci_data;
    u8 status64;   /* of the keyboard controller */
    u8 control_a;  /* port 92h */
    u8 data60;     /* the keyboard controller's answer */
    u8 nothing[5]; /* read together with the registers before */
};

struct pm {
    struct vdev dev;
    struct pm_registers reg;
    u8 command64; /* the last command */
};

struct pc_devices {
    struct i8259 pic;
    struct pit pit;
    struct rtc rtc;
    struct pm pm;
};

/*
 * A description by which one of the devices is created. The linker gathers them, as it does with INIT_CALL
 * (core/init.h), in no order that one may rely on. A device that others reach has its record in struct pc_devices; any
 * other one's begins with its vdev and lies behind that on the same page.
 */
struct pc_device {
    struct vdev_ops ops;
    u16 at;                  /* offset of its record in struct pc_devices, */
    u16 size;                /* or the record's size, and then `at` means nothing */
    u16 ports[5][2];         /* first and number of each range */
    void (*fire)(void *dev); /* function of the timer behind the vdev, if there is one */
};

/* Aligned as an element of an array: the compiler would align a single struct more and leave gaps in the list. */
#define PC_DEVICE(id, ...)                                                                                             \
    static const struct pc_device id##_device                                                                          \
        __attribute__((used, section("pc_devices"), aligned(sizeof(void *)))) = { __VA_ARGS__ }

/* The mask of input 0 or GSI 2 was cleared: a dormant timer runs again. Any context, irqchip locks held. */
void pit_wake(struct vm *vm);
bool i8259_masked(struct vm *vm, unsigned irq);
bool ioapic_masked(struct vm *vm, unsigned gsi);

#endif
