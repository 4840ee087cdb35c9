/* SPDX-License-Identifier: MIT */
/*
 * vm/places.h - where a virtual PC has what its firmware tables tell a guest. The kernel places devices by these
 * numbers, the host tools read them here for the tables that they make (tools/amalgam/acpi.py): one number a line.
 */
#ifndef VM_PLACES_H
#define VM_PLACES_H

#define RAM_HOLE      0xc0000000ul /* device registers, up to 4 GiB, where memory goes on */
#define VIRTIO_BASE   0xd0000000ul /* virtio over MMIO: a page of registers a slot */
#define VIRTIO_STRIDE 0x1000
#define VIRTIO_SLOTS  8
#define VIRTIO_GSI    16 /* of slot 0, behind the 16 of the ISA bus */
#define TUNNEL_BASE   0xe0000000ul
#define TUNNEL_STRIDE 0x100000
#define TUNNEL_GSI    24        /* of the first tunnel, behind virtio's */
#define FIRMWARE_BASE 0xf0000ul /* the tables themselves */
#define FIRMWARE_MAX  0x10000ul

#endif
